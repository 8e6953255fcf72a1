#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"
#include "monitor/config/dump.h"

namespace tokprobe {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(GoodFiles, BringTheDumpBesideThem) {
  const auto paths = files_in("tests/data/config/good", ".yml");
  EXPECT_GE(paths.size(), 6U);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename().string());
    if (update_golden()) rewrite_annotations(path);
    const AnnotatedFile file = read_annotated(path);
    const LoadResult result =
        load_config(file.text, path.filename().string(), environment_of(file.variables));
    EXPECT_THAT(annotations(result), ElementsAreArray(file.expected));
    ASSERT_TRUE(result.config.has_value());
    const std::string dump = dump_config(*result.config);
    EXPECT_THAT(dump, Not(HasSubstr("hunter2")));
    auto golden = path;
    expect_golden(golden.replace_extension(".dump"), dump);
  }
}

TEST(GoodFiles, TheirDumpMeansTheSame) {
  for (const auto& path : files_in("tests/data/config/good", ".dump")) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read_file(path);
    const LoadResult result = load(text);
    ASSERT_TRUE(result.config.has_value()) << result.report();
    EXPECT_EQ(dump_config(*result.config), text);
  }
}

TEST(ShippedFiles, HaveNoProblemsAndNoWarnings) {
  const auto paths = files_in("config", ".yml");
  EXPECT_GE(paths.size(), 4U);
  for (const auto& path : paths) {
    const LoadResult result = load_config_file(path.string(), environment_of({}));
    EXPECT_THAT(result.report(), IsEmpty());
    EXPECT_TRUE(result.config.has_value());
  }
}

TEST(ShippedFiles, TheExampleForAnEmptyStartIsComplete) {
  const LoadResult result = load(example_config());
  EXPECT_THAT(result.report(), IsEmpty());
  EXPECT_EQ(result.config->probes.size(), default_probes().size());
}

}  // namespace
}  // namespace tokprobe
