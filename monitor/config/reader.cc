#include <fmt/format.h>

#include <algorithm>

#include "monitor/config/reader_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

std::string join(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string child_of(const std::string& parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

// What is expected of each entry of a list or free table.
KeyDoc element_of(const KeyDoc& doc) {
  KeyDoc element = doc;
  element.type = doc.type == ValueType::kTableList   ? ValueType::kTable
                 : doc.type == ValueType::kWholeList ? ValueType::kWhole
                                                     : ValueType::kText;
  return element;
}

Mark place_of(const YamlNode& key, const YamlNode& value) {
  return value.kind == YamlNode::Kind::kNull ? key.mark : value.mark;
}

}  // namespace

Mark Marks::at(std::string_view path) const {
  while (true) {
    if (const auto found = marks_.find(path); found != marks_.end()) return found->second;
    if (path.empty()) return {};
    const std::size_t cut = path.find_last_of(".[");
    path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
}

std::string Reader::suggest(std::string_view word,
                            const std::vector<std::string_view>& candidates) {
  std::string out = fmt::format("'{}'", printable(word, 60));
  // A thousand wrong names against ten thousand targets must not take minutes.
  const std::size_t looked_at = std::min<std::size_t>(candidates.size(), 300);
  if (const auto near = nearest(word, candidates.data(), looked_at)) {
    out += fmt::format("; did you mean '{}'?", *near);
  }
  return out;
}

void Reader::complain(const Field& field, std::string_view message) {
  problems_.add(field.mark, field.shown.empty() ? std::string(message)
                                                : fmt::format("{}: {}", field.shown, message));
}

void Reader::expected(const Field& field) {
  const YamlNode& node = *field.node;
  std::string found = "a table of keys";
  if (node.kind == YamlNode::Kind::kList) found = "a list";
  if (node.kind == YamlNode::Kind::kNull) {
    found = node.text.empty() ? "nothing" : fmt::format("{}, which means nothing", node.text);
  }
  if (node.kind == YamlNode::Kind::kScalar) {
    found = field.secret ? "something else" : fmt::format("'{}'", printable(node.text, 60));
    if (node.quoted && !field.secret && !has_variable(node)) found = "the quoted text " + found;
  }
  const std::string_view what =
      field.doc->type == ValueType::kChoice ? field.doc->choices : row(field.doc->type).expected;
  const std::string_view one_of = field.doc->type == ValueType::kChoice ? "one of " : "";
  complain(field, fmt::format("expected {}{}, found {}", one_of, what, found));
}

std::vector<Reader::Entry> Reader::entries_of(const Field& field) {
  std::vector<Entry> out;
  const YamlNode& node = *field.node;
  if (node.kind != YamlNode::Kind::kTable) {
    expected(field);
    return out;
  }
  std::map<std::string_view, Mark> seen;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& key = node.keys[i];
    if (key.kind != YamlNode::Kind::kScalar) {
      problems_.add(key.mark, key.kind == YamlNode::Kind::kNull ? "a key is missing here"
                                                                : "a key must be a plain text");
    } else if (key.text == "<<") {
      problems_.add(key.mark, "merging tables with '<<' is not supported");
    } else if (const auto [first, fresh] = seen.emplace(key.text, key.mark); !fresh) {
      // The name of a secret's key may itself be a slip that holds the secret.
      const std::string name =
          field.secret ? "key" : fmt::format("key '{}'", printable(key.text, 60));
      problems_.add(key.mark,
                    fmt::format("duplicate {}; first on line {}", name, first->second.line));
    } else {
      out.push_back({&key, &node.items[i]});
    }
  }
  return out;
}

std::vector<Reader::Match> Reader::match(const Field& field,
                                         const std::vector<const KeyDoc*>& docs) {
  std::vector<std::string_view> names;
  for (const KeyDoc* doc : docs) names.push_back(doc->name);
  std::vector<Match> out;
  std::vector<bool> seen(docs.size());
  const bool readable = field.node->kind == YamlNode::Kind::kTable;
  for (const Entry& entry : entries_of(field)) {
    const auto name = std::find(names.begin(), names.end(), entry.key->text);
    if (name == names.end()) {
      std::string message = "unknown key " + suggest(entry.key->text, names);
      if (!message.ends_with('?')) message += "; the keys here are " + join(names);
      problems_.add(entry.key->mark, message);
      continue;
    }
    const auto index = static_cast<std::size_t>(name - names.begin());
    seen[index] = true;
    const Mark mark = place_of(*entry.key, *entry.value);
    Match m{index,
            {docs[index], entry.value, mark, child_of(field.path, *name),
             child_of(field.shown, *name)}};
    marks_.set(m.field.path, mark);
    out.push_back(std::move(m));
  }
  for (std::size_t i = 0; readable && i < docs.size(); ++i) {
    if (docs[i]->required && !seen[i]) {
      problems_.add(field.mark, fmt::format("missing key '{}'", docs[i]->name));
    }
  }
  return out;
}

void Reader::list(const Field& field, const std::function<void(const Field&)>& each) {
  const YamlNode& node = *field.node;
  if (node.kind != YamlNode::Kind::kList) return expected(field);
  if (node.items.empty()) {
    const std::string_view way = field.doc->required ? "" : " or leave the key out";
    return complain(field, fmt::format("the list is empty; add an entry{}", way));
  }
  const auto limit = static_cast<std::size_t>(field.doc->limits.max_entries);
  if (node.items.size() > limit) {
    return complain(field,
                    fmt::format("{} entries; at most {} are allowed", node.items.size(), limit));
  }
  const KeyDoc element = element_of(*field.doc);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Field entry = field;
    entry.doc = &element;
    entry.node = &node.items[i];
    entry.mark = node.items[i].kind == YamlNode::Kind::kNull ? node.mark : node.items[i].mark;
    entry.path = fmt::format("{}[{}]", field.path, i);
    marks_.set(entry.path, entry.mark);
    each(entry);
  }
}

void Reader::free_table(const Field& field,
                        const std::function<void(const YamlNode&, const Field&)>& each) {
  const std::vector<Entry> entries = entries_of(field);
  const auto limit = static_cast<std::size_t>(field.doc->limits.max_entries);
  if (limit > 0 && entries.size() > limit) {
    return complain(field,
                    fmt::format("{} entries; at most {} are allowed", entries.size(), limit));
  }
  const KeyDoc element = element_of(*field.doc);
  for (const Entry& entry : entries) {
    Field value = field;
    value.doc = &element;
    value.node = entry.value;
    value.mark = place_of(*entry.key, *entry.value);
    value.path = child_of(field.path, entry.key->text);
    value.shown = child_of(field.shown, entry.key->text);
    marks_.set(value.path, value.mark);
    each(*entry.key, value);
  }
}

}  // namespace tokprobe::config_detail
