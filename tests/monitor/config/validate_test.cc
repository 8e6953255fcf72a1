#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"
#include "monitor/config/dump.h"
#include "monitor/config/keys_internal.h"

namespace tokprobe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DefaultProbes, AreTheDocumentedSet) {
  std::vector<std::string> names;
  for (const ProbeConfig& probe : default_probes()) names.push_back(probe.name);
  EXPECT_THAT(names, ElementsAre("heartbeat", "speed", "load", "long"));
  EXPECT_FALSE(default_probes().back().enabled);
}

TEST(DefaultProbes, LeaveRoomForTheirTimeouts) {
  const LoadResult result = load("targets: [{name: a, url: http://127.0.0.1:1}]");
  EXPECT_THAT(result.report(), IsEmpty());
}

TEST(Config, AProbeAppliesToAllTargetsOrToThoseItNames) {
  ProbeConfig probe;
  EXPECT_TRUE(probe.applies_to("a"));
  probe.targets = {"b"};
  EXPECT_FALSE(probe.applies_to("a"));
  EXPECT_TRUE(probe.applies_to("b"));
}

TEST(LabelNames, AreThoseOfPrometheusThatNobodyUses) {
  for (const char* name : {"team", "_x", "GPU0", "a_b"}) {
    EXPECT_EQ(config_detail::label_name_fault(name), "") << name;
  }
  for (const char* name : {"", "0a", "a-b", "a b", "\u00e9", "__a", "target", "le", "job"}) {
    EXPECT_NE(config_detail::label_name_fault(name), "") << name;
  }
}

// What the reference calls a default must be what the structs have.
template <class T>
std::string spelled_out(std::span<const config_detail::KeyRow<T>> rows, std::string_view indent) {
  std::string out;
  for (const auto& row : rows) {
    if (row.doc.default_text.empty() || row.doc.default_text.starts_with('(')) continue;
    out += std::string(indent) + std::string(row.doc.name) + ": " +
           std::string(row.doc.default_text) + "\n";
  }
  return out;
}

TEST(Defaults, TheDocumentedOnesChangeNothing) {
  const std::string targets = "targets:\n  - name: a\n    url: http://127.0.0.1:1\n";
  const std::string probes = "probes:\n  - name: p\n";
  const std::string spelled = targets + spelled_out(config_detail::target_keys(), "    ") + probes +
                              spelled_out(config_detail::probe_keys(), "    ");
  std::string with_timeouts = spelled;
  with_timeouts.replace(with_timeouts.find("timeout: {}"), 11,
                        "timeout:\n" + spelled_out(config_detail::timeout_keys(), "      "));
  const LoadResult plain = load(targets + probes);
  ASSERT_TRUE(plain.config.has_value()) << plain.report();
  for (const std::string& text : {spelled, with_timeouts}) {
    const LoadResult full = load(text);
    ASSERT_TRUE(full.config.has_value()) << full.report() << text;
    EXPECT_EQ(dump_config(*full.config), dump_config(*plain.config));
  }
}

}  // namespace
}  // namespace tokprobe
