#include "probes/stream/framer.h"

#include <gmock/gmock.h>

#include "tests/probes/stream/frames.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Seen = SeenFrame;

TEST(SseFramer, GivesTheDataOfAnEvent) {
  EXPECT_THAT(frames_of({"data: hello\n\n"}), ElementsAre(Seen{"", "hello"}));
}

TEST(SseFramer, TakesEveryKindOfLineEnd) {
  const auto two = ElementsAre(Seen{"", "a"}, Seen{"", "b"});
  EXPECT_THAT(frames_of({"data: a\n\ndata: b\n\n"}), two);
  EXPECT_THAT(frames_of({"data: a\r\n\r\ndata: b\r\n\r\n"}), two);
  EXPECT_THAT(frames_of({"data: a\r\rdata: b\r\r"}), two);
  EXPECT_THAT(frames_of({"data: a\n\r\ndata: b\r\n\r"}), two);
  EXPECT_THAT(frames_of({"data: a\r\n\ndata: b\n\r"}), two);
}

TEST(SseFramer, DoesNotTakeASplitCrLfForTwoLineEnds) {
  EXPECT_THAT(frames_of({"data: a\r", "\ndata: b\r", "\n\r", "\n"}), ElementsAre(Seen{"", "a\nb"}));
}

TEST(SseFramer, EndsALineAtACarriageReturnWithoutWaiting) {
  SseFramer framer;
  SeenFrames seen;
  EXPECT_TRUE(framer.feed("data: a\r\r", Time(1ms), seen));
  EXPECT_THAT(seen.frames, ElementsAre(Seen{"", "a"}));
}

TEST(SseFramer, SkipsAByteOrderMarkAtTheStartOnly) {
  EXPECT_THAT(frames_of({"\xEF\xBB\xBF"
                         "data: a\n\n"}),
              ElementsAre(Seen{"", "a"}));
  EXPECT_THAT(frames_of({"\xEF", "\xBB", "\xBF", "data: a\n\n"}), ElementsAre(Seen{"", "a"}));
  EXPECT_THAT(frames_of({"data: a\n\n\xEF\xBB\xBF"
                         "data: b\n\n"}),
              ElementsAre(Seen{"", "a"}));
  EXPECT_THAT(frames_of({"\xEF\xBB\xBF\xEF\xBB\xBF"
                         "data: a\n\n"}),
              IsEmpty());
  EXPECT_THAT(frames_of({"\xEF\xBB", "data: a\n\ndata: b\n\n"}), ElementsAre(Seen{"", "b"}));
}

TEST(SseFramer, JoinsDataLines) {
  EXPECT_THAT(frames_of({"data: a\ndata: b\ndata\ndata: c\n\n"}),
              ElementsAre(Seen{"", "a\nb\n\nc"}));
}

TEST(SseFramer, DropsAtMostOneSpaceAfterTheColon) {
  EXPECT_THAT(frames_of({"data:a\n\ndata:  b \n\ndata:\tc\n\n"}),
              ElementsAre(Seen{"", "a"}, Seen{"", " b "}, Seen{"", "\tc"}));
}

TEST(SseFramer, PassesOverComments) {
  EXPECT_THAT(frames_of({":\n\n: keep-alive\n\ndata: a\n: between\ndata: b\n:\n\n"}),
              ElementsAre(Seen{"", "a\nb"}));
}

TEST(SseFramer, PassesOverIdRetryAndUnknownFields) {
  EXPECT_THAT(
      frames_of({"id: 7\nretry: 10\nfoo: bar\nDATA: x\ndata : y\n data: z\ndata: a\n\nid: 8\n\n"}),
      ElementsAre(Seen{"", "a"}));
}

TEST(SseFramer, NamesAnEventOnceOnly) {
  EXPECT_THAT(frames_of({"event: ping\ndata: a\n\ndata: b\n\n"}),
              ElementsAre(Seen{"ping", "a"}, Seen{"", "b"}));
  EXPECT_THAT(frames_of({"data: a\nevent: one\nevent:two\n\n"}), ElementsAre(Seen{"two", "a"}));
  EXPECT_THAT(frames_of({"event: lost\n\ndata: a\n\n"}), ElementsAre(Seen{"", "a"}));
}

TEST(SseFramer, TakesAnErrorEventEvenWithoutData) {
  EXPECT_THAT(frames_of({"event: error\n\n"}), ElementsAre(Seen{"error", ""}));
  EXPECT_THAT(frames_of({"event: error\ndata: x\n\n"}), ElementsAre(Seen{"error", "x"}));
}

TEST(SseFramer, TakesAnErrorLineForAnErrorEvent) {
  EXPECT_THAT(frames_of({"error: {\"code\":500}\n\n"}),
              ElementsAre(Seen{"error", "{\"code\":500}"}));
  EXPECT_THAT(frames_of({"data: a\n\nerror:b\n\ndata: c\n\n"}),
              ElementsAre(Seen{"", "a"}, Seen{"error", "b"}, Seen{"", "c"}));
}

TEST(SseFramer, PassesOverEmptyData) {
  EXPECT_THAT(frames_of({"data:\n\ndata: \n\ndata\n\n\n\n\n"}), IsEmpty());
  EXPECT_THAT(frames_of({""}), IsEmpty());
  EXPECT_THAT(frames_of({}), IsEmpty());
}

TEST(SseFramer, KeepsBytesOfEveryKind) {
  using std::literals::string_view_literals::operator""sv;
  EXPECT_THAT(frames_of({"data: \0\x01\xFF\xC3\n\n"sv}),
              ElementsAre(Seen{"", std::string("\0\x01\xFF\xC3"sv)}));
}

TEST(SseFramer, HandsOverAPendingEventAtTheEnd) {
  EXPECT_THAT(frames_of({"data: a\n"}), ElementsAre(Seen{"", "a", true}));
  EXPECT_THAT(frames_of({"data: a\r"}), ElementsAre(Seen{"", "a", true}));
  EXPECT_THAT(frames_of({"data: a\r\n"}), ElementsAre(Seen{"", "a", true}));
  EXPECT_THAT(frames_of({"data: a\ndata: b\n"}), ElementsAre(Seen{"", "a\nb", true}));
}

TEST(SseFramer, MarksAnEventWhoseLineWasCutOff) {
  EXPECT_THAT(frames_of({"data: a"}), ElementsAre(Seen{"", "a", false}));
  EXPECT_THAT(frames_of({"data: a\ndata: b"}), ElementsAre(Seen{"", "a\nb", false}));
  EXPECT_THAT(frames_of({"data: a\nda"}), ElementsAre(Seen{"", "a", false}));
  EXPECT_THAT(frames_of({"data: a\n\ndata"}), ElementsAre(Seen{"", "a", true}));
  EXPECT_THAT(frames_of({"event: error"}), ElementsAre(Seen{"error", "", false}));
}

TEST(SseFramer, StampsAFrameWithTheReadThatCompletedIt) {
  SseFramer framer;
  SeenFrames seen;
  EXPECT_TRUE(framer.feed("data: a", Time(1ms), seen));
  EXPECT_TRUE(framer.feed("\n", Time(2ms), seen));
  EXPECT_TRUE(framer.feed("\ndata: b\n\ndata: c\n\nda", Time(3ms), seen));
  EXPECT_TRUE(framer.feed("ta: d\r", Time(4ms), seen));
  framer.finish(Time(5ms), seen);
  EXPECT_THAT(seen.times, ElementsAre(Time(3ms), Time(3ms), Time(3ms), Time(5ms)));
}

TEST(SseFramer, TakesEmptyReads) {
  EXPECT_THAT(frames_of({"", "data: a", "", "\n\n", ""}), ElementsAre(Seen{"", "a"}));
}

TEST(BodyFramer, HandsOverTheWholeBodyAtItsEnd) {
  BodyFramer framer;
  SeenFrames seen;
  EXPECT_TRUE(framer.feed("{\"a\":"));
  EXPECT_TRUE(framer.feed("1}\n"));
  EXPECT_THAT(seen.frames, IsEmpty());
  framer.finish(Time(9ms), seen);
  EXPECT_THAT(seen.frames, ElementsAre(Seen{"", "{\"a\":1}\n"}));
  EXPECT_THAT(seen.times, ElementsAre(Time(9ms)));
}

}  // namespace
}  // namespace tokprobe
