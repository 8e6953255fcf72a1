#include "monitor/web/landing.h"

#include <gmock/gmock.h>

#include "tests/monitor/golden.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<TargetSnapshot> hostile_targets() {
  Config config = rich_config();
  config.probes[1].name = kHostile;
  TargetState alpha = initial_state(config, config.targets[0]);
  apply(run_at("alpha", "speed", run_of({ok_request(), ok_request()})), alpha);
  apply(run_at("alpha", kHostile, run_of({failed_request(Reason::kTls)})), alpha);
  return {std::make_shared<const TargetState>(alpha),
          std::make_shared<const TargetState>(initial_state(config, config.targets[1]))};
}

TEST(LandingPage, IsTheGoldenOne) {
  std::string page = landing_page(hostile_targets());
  page = without_version(std::move(page), "Version ", ",");
  expect_golden("landing.html", without_revision(std::move(page), "revision ", "."));
}

TEST(LandingPage, HoldsNoMarkupOfForeignNamesAndNoPassword) {
  const std::string page = landing_page(hostile_targets());
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("hunter")));
}

TEST(LandingPage, IsWholeWithoutTargets) {
  const std::string page = landing_page({});
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(EscapeHtml, EscapesWhatHasAMeaningAndNothingElse) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_html("plain \xC3\xBC"), "plain \xC3\xBC");
  EXPECT_EQ(escape_html("&amp;"), "&amp;amp;");
}

}  // namespace
}  // namespace tokprobe
