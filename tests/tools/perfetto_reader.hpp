// Reads the traces hopsim writes, by the numbers of Perfetto's .proto files, and checks what holds for all of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hopsim::perfetto {

// A protobuf message taken apart: by field number, in order.
struct Message {
  std::multimap<int, std::uint64_t> numbers;
  std::multimap<int, std::string> texts;

  explicit Message(std::string_view bytes) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.at(at++));
        value |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return value;
      }
    };
    while (at < bytes.size()) {
      const std::uint64_t tag = varint();
      const int field = static_cast<int>(tag >> 3);
      if (tag % 8 == 0) {
        numbers.emplace(field, varint());
      } else if (tag % 8 == 1) {
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at++))} << 8 * i;
        numbers.emplace(field, value);
      } else if (tag % 8 == 2) {
        const std::uint64_t length = varint();
        if (length > bytes.size() - at) throw std::out_of_range("a length beyond the message");
        texts.emplace(field, bytes.substr(at, length));
        at += length;
      } else {
        throw std::invalid_argument("a wire type that is never written");
      }
    }
  }

  std::uint64_t number(int field, std::uint64_t otherwise = 0) const {
    const auto found = numbers.find(field);
    return found == numbers.end() ? otherwise : found->second;
  }
  std::string text(int field) const {
    const auto found = texts.find(field);
    return found == texts.end() ? "" : found->second;
  }
  std::vector<Message> all(int field) const {
    std::vector<Message> found;
    const auto [first, last] = texts.equal_range(field);
    std::transform(first, last, std::back_inserter(found), [](const auto& m) { return Message(m.second); });
    return found;
  }
};

struct Track {
  std::string name;
  std::uint64_t parent = 0, rank = 0;
  std::string about;
  bool bytes = false, percent = false;  // a counter's unit
};

struct Event {
  std::uint64_t time = 0, type = 0, track = 0;
  std::string name, category;
  std::map<std::string, std::uint64_t> args;
  std::map<std::string, std::string> texts;  // arguments, too
  std::string algorithm;
  std::uint64_t flow = 0, last_flow = 0;  // the first of
  std::vector<std::uint64_t> flows, last_flows;
  double value = 0;  // of a counter's sample
};

struct Slice {
  std::uint64_t begin = 0, end = 0;
  Event event;
};

// A trace as a reader of the format understands it.
struct Trace {
  std::map<std::uint64_t, Track> tracks;
  std::vector<Event> events;  // as trace_processor sees them: by time, in file order where equal
  std::map<int, std::map<std::uint64_t, std::string>> interned;

  explicit Trace(std::string_view bytes) {
    bool first = true;
    for (const Message& packet : Message(bytes).all(1)) {
      EXPECT_EQ(packet.number(10), 1u);
      EXPECT_TRUE(std::exchange(first, false) ? packet.number(13) == 1 : true) << "the sequence starts afresh";
      for (const Message& m : packet.all(12)) intern(m);
      for (const Message& m : packet.all(60)) declare(m);
      for (const Message& m : packet.all(11)) add(packet, m);
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  }

  void intern(const Message& data) {
    for (const int table : {1, 2, 3, 29})
      for (const Message& entry : data.all(table)) interned[table][entry.number(1)] = entry.text(2);
  }

  void declare(const Message& m) {
    EXPECT_EQ(m.number(11), 3u) << "children in explicit order";
    EXPECT_EQ(m.number(15), 2u) << "never merged";
    EXPECT_TRUE(m.number(5) == 0 || tracks.contains(m.number(5))) << "parents come first";
    Track t{m.text(2), m.number(5), m.number(12), m.text(14)};
    for (const Message& counter : m.all(8)) {
      t.bytes = counter.number(3) == 3;
      t.percent = counter.text(6) == "%";
    }
    EXPECT_TRUE(tracks.emplace(m.number(1), t).second);
  }

  void add(const Message& packet, const Message& m) {
    EXPECT_EQ(packet.number(13), 2u) << "refers to interned strings";
    EXPECT_TRUE(tracks.contains(m.number(11))) << "tracks are declared before they are used";
    Event e;
    e.time = packet.number(8);
    e.type = m.number(9);
    e.track = m.number(11);
    e.name = interned[2][m.number(10)];
    e.category = interned[1][m.number(3)];
    e.flow = m.number(47);
    e.last_flow = m.number(48);
    for (const auto& [to, field] : {std::pair{&e.flows, 47}, std::pair{&e.last_flows, 48}}) {
      const auto [first, last] = m.numbers.equal_range(field);
      std::transform(first, last, std::back_inserter(*to), [](const auto& f) { return f.second; });
    }
    e.value = m.numbers.contains(44) ? std::bit_cast<double>(m.number(44)) : static_cast<double>(m.number(30));
    for (const Message& a : m.all(4)) {
      if (a.numbers.contains(17))
        e.algorithm = interned[29][a.number(17)];
      else if (a.texts.contains(6))
        e.texts[interned[3][a.number(1)]] = a.text(6);
      else
        e.args[interned[3][a.number(1)]] = a.number(3);
    }
    events.push_back(e);
  }

  std::string path(std::uint64_t track) const {
    const Track& t = tracks.at(track);
    return (t.parent ? path(t.parent) + "/" : "") + t.name;
  }

  // Matched as trace_processor does it; none may nest, since nothing here does.
  std::vector<Slice> slices(const std::string& track) const {
    std::vector<Slice> found;
    bool open = false;
    for (const Event& e : events) {
      if (path(e.track) != track || e.type == 3) continue;
      EXPECT_EQ(e.type, open ? 2u : 1u) << track << " at " << e.time;
      if (e.type == 1)
        found.push_back({e.time, 0, e});
      else if (!found.empty())
        found.back().end = e.time;
      open = e.type == 1;
    }
    EXPECT_FALSE(open);
    return found;
  }

  std::vector<Event> instants(const std::string& track) const {
    std::vector<Event> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [&](const Event& e) { return e.type == 3 && path(e.track) == track; });
    return found;
  }

  // Of a counter, (time, value); the track is one that has them.
  std::vector<std::pair<std::uint64_t, double>> samples(const std::string& track) const {
    std::vector<std::pair<std::uint64_t, double>> found;
    for (const Event& e : events) {
      if (path(e.track) != track) continue;
      EXPECT_EQ(e.type, 4u);
      EXPECT_TRUE(tracks.at(e.track).bytes != tracks.at(e.track).percent);
      found.emplace_back(e.time, e.value);
    }
    return found;
  }

  // Of each arrow where it begins and ends, as trace_processor draws them: from an event with a flow's id to the next
  // one, until one that ends it. None may end that has not begun.
  std::vector<std::string> arrows() const {
    std::map<std::uint64_t, std::string> begun;
    std::vector<std::string> found;
    const auto pass = [&](const Event& e, std::uint64_t id, bool ends) {
      const std::string here = path(e.track) + " @" + std::to_string(e.time);
      const auto before = begun.find(id);
      EXPECT_TRUE(!ends || before != begun.end()) << here;
      if (before != begun.end()) found.push_back(before->second + " -> " + here);
      begun[id] = here;
    };
    for (const Event& e : events) {
      for (const std::uint64_t id : e.last_flows) pass(e, id, true);
      for (const std::uint64_t id : e.flows) pass(e, id, false);
    }
    return found;
  }

  // In reading order: below its parent, by rank.
  std::vector<std::string> tree(std::uint64_t parent = 0, const std::string& indent = "") const {
    std::multimap<std::uint64_t, std::uint64_t> children;
    for (const auto& [id, t] : tracks)
      if (t.parent == parent) children.emplace(t.rank, id);
    std::vector<std::string> lines;
    for (const auto& [rank, id] : children) {
      lines.push_back(indent + tracks.at(id).name);
      for (const std::string& line : tree(id, indent + " ")) lines.push_back(line);
    }
    return lines;
  }
};

}  // namespace hopsim::perfetto
