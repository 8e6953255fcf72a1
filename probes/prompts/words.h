#pragma once

#include <array>
#include <string_view>

namespace tokprobe {

/// Short common English words: one token each in nearly every vocabulary.
inline constexpr std::array<std::string_view, 512> kWords{
    "about", "above", "across", "act", "add", "after", "again", "against", "age", "ago", "air",
    "all", "also", "always", "am", "among", "an", "and", "animal", "another", "answer", "any",
    "are", "area", "around", "as", "ask", "at", "away", "back", "base", "be", "because", "become",
    "been", "before", "began", "begin", "behind", "being", "below", "best", "better", "between",
    "big", "black", "blue", "boat", "body", "book", "both", "box", "boy", "bring", "brown",
    "build", "built", "busy", "but", "by", "call", "came", "can", "car", "care", "carry", "case",
    "cause", "center", "certain", "change", "check", "child", "city", "class", "clear", "close",
    "cloud", "code", "cold", "color", "come", "common", "complete", "cool", "correct", "could",
    "count", "country", "course", "cover", "cross", "cry", "cut", "dark", "data", "day", "deep",
    "design", "did", "differ", "direct", "do", "does", "dog", "done", "door", "down", "draw",
    "drive", "dry", "during", "each", "early", "earth", "ease", "east", "eat", "end", "engine",
    "enough", "error", "even", "ever", "every", "example", "eye", "face", "fact", "fall", "family",
    "far", "farm", "fast", "father", "feel", "feet", "few", "field", "figure", "file", "fill",
    "final", "find", "fine", "fire", "first", "fish", "five", "fly", "follow", "food", "foot",
    "for", "force", "form", "found", "four", "free", "friend", "from", "front", "full", "game",
    "gave", "get", "girl", "give", "go", "gold", "good", "got", "govern", "graph", "great",
    "green", "ground", "group", "grow", "had", "half", "hand", "happen", "hard", "has", "have",
    "he", "head", "hear", "heard", "heat", "help", "her", "here", "high", "him", "his", "hold",
    "home", "horse", "hot", "hour", "house", "how", "hundred", "idea", "if", "in", "inch",
    "interest", "into", "island", "is", "it", "just", "keep", "kind", "king", "knew", "know",
    "land", "language", "large", "last", "late", "laugh", "lay", "lead", "learn", "leave", "left",
    "less", "let", "letter", "life", "light", "like", "line", "list", "listen", "little", "live",
    "long", "look", "love", "low", "machine", "made", "main", "make", "man", "many", "map", "mark",
    "may", "mean", "measure", "memory", "men", "metric", "might", "mile", "mind", "minute", "miss",
    "model", "monitor", "money", "moon", "more", "morning", "most", "mother", "mountain", "move",
    "much", "multiply", "music", "must", "my", "name", "near", "need", "never", "new", "next",
    "night", "no", "north", "not", "note", "nothing", "notice", "noun", "now", "number", "object",
    "of", "off", "often", "oh", "old", "on", "once", "one", "only", "open", "or", "order", "other",
    "our", "out", "over", "own", "page", "paper", "part", "pass", "pattern", "people", "perhaps",
    "person", "picture", "piece", "place", "plain", "plan", "plane", "plant", "play", "point",
    "port", "pose", "possible", "pound", "power", "press", "probe", "problem", "produce",
    "product", "pull", "put", "question", "quick", "rain", "ran", "reach", "read", "ready", "real",
    "record", "red", "remember", "rest", "right", "river", "road", "rock", "room", "round", "rule",
    "run", "said", "same", "saw", "say", "school", "science", "sea", "second", "see", "seem",
    "self", "sentence", "serve", "server", "set", "several", "shape", "she", "ship", "short",
    "should", "show", "side", "simple", "since", "sing", "sit", "six", "size", "sleep", "slow",
    "small", "snow", "so", "some", "song", "soon", "sound", "south", "space", "special", "spell",
    "stand", "star", "start", "state", "stay", "step", "still", "stop", "story", "street",
    "strong", "study", "such", "summary", "summarize", "sun", "sure", "surface", "system", "table",
    "tail", "take", "talk", "teach", "tell", "ten", "test", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "thing", "think", "this", "those", "though", "thought",
    "thousand", "three", "through", "time", "to", "together", "told", "token", "too", "took",
    "top", "toward", "town", "travel", "tree", "true", "try", "turn", "two", "under", "unit",
    "until", "up", "us", "use", "usual", "verb", "very", "voice", "vowel", "wait", "walk", "want",
    "war", "warm", "was", "watch", "water", "way", "we", "week", "weight", "well", "went", "were",
    "west", "what", "wheel", "when", "where", "which", "while", "white", "who", "whole", "why",
    "will", "wind", "with", "wonder", "wood", "word", "work", "world", "would",
};

}  // namespace tokprobe
