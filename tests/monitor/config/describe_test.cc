#include "monitor/config/describe.h"

#include <gtest/gtest.h>

#include "files.h"
#include "monitor/config/objectives.h"

namespace tokprobe {
namespace {

TEST(Reference, IsTheShippedFile) {
  expect_golden(source_path("config/REFERENCE.md"), config_reference_markdown());
}

TEST(Reference, NamesEveryObjective) {
  const std::string text = config_reference_markdown();
  for (const ObjectiveRow& row : kObjectives) {
    EXPECT_NE(text.find("| `" + std::string(row.key) + "` |"), std::string::npos) << row.key;
  }
}

}  // namespace
}  // namespace tokprobe
