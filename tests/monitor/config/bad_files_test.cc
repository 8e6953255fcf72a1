#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"

namespace tokprobe {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

// Every file says in its first lines what is wrong with it. Secrets in them contain "hunter2".
TEST(BadFiles, BringExactlyTheProblemsThatTheyName) {
  const auto paths = files_in("tests/data/config/bad", ".yml");
  EXPECT_GE(paths.size(), 40U);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename().string());
    if (update_golden()) rewrite_annotations(path);
    const AnnotatedFile file = read_annotated(path);
    const LoadResult result =
        load_config(file.text, path.filename().string(), environment_of(file.variables));
    EXPECT_THAT(annotations(result), ElementsAreArray(file.expected));
    EXPECT_FALSE(result.problems.empty());
    EXPECT_FALSE(result.config.has_value());
    EXPECT_THAT(result.report(), Not(HasSubstr("hunter2")));
  }
}

}  // namespace
}  // namespace tokprobe
