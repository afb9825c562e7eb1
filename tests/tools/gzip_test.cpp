// What is compressed here must come out of zlib as it went in.
#include "tools/gzip.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/gzip_thread.hpp"

namespace hopsim {
namespace {

std::string unzipped(const std::string& stream) {
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  z.avail_in = static_cast<uInt>(stream.size());
  std::string text;
  std::vector<char> part(1 << 16);
  int status = Z_OK;
  while (status == Z_OK) {
    z.next_out = reinterpret_cast<Bytef*>(part.data());
    z.avail_out = static_cast<uInt>(part.size());
    status = inflate(&z, Z_NO_FLUSH);
    text.append(part.data(), part.size() - z.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);  // checksum and size are right
  EXPECT_EQ(z.avail_in, 0u);
  inflateEnd(&z);
  return text;
}

std::string zipped(const std::string& text, std::size_t at_a_time = std::string::npos) {
  GzipEncoder encoder;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += at_a_time) {
    encoder.write(std::string_view(text).substr(i, at_a_time), out);
    if (at_a_time == std::string::npos) break;
  }
  encoder.finish(out);
  return out;
}

std::string noise(std::size_t size, int symbols, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, 0);
  for (char& c : text) c = static_cast<char>(random() % static_cast<unsigned>(symbols));
  return text;
}

// Records of 100 bytes, of which a few differ from one to the next.
std::string records(std::size_t n) {
  std::string text, record = noise(100, 256, 7);
  for (std::size_t i = 0; i < n; ++i) {
    record[10] = static_cast<char>(i);
    record[50] = static_cast<char>(i / 256);
    text += record;
  }
  return text;
}

TEST(Gzip, BringsBackWhatWentIn) {
  std::vector<std::string> texts{"",           "a", "abc", "abcd", std::string(3, 'a'), std::string(1'000'000, 'a'),
                                 records(9000)};
  for (const std::size_t size : {1u, 100u, 262'143u, 262'144u, 262'145u, 1'000'000u})
    for (const int symbols : {1, 2, 3, 20, 256}) texts.push_back(noise(size, symbols, 3));
  for (const std::size_t distance :
       {32'766u, 32'767u, 32'768u, 32'769u}) {  // of the only match; the farthest is 32768
    const std::string ends = noise(300, 256, 5);
    texts.push_back(ends + noise(distance - ends.size(), 256, 9) + ends);
  }
  for (std::size_t length = 3; length <= 600; ++length) {  // every length of a match
    const std::string repeated = noise(length, 256, 11);
    texts.push_back(repeated + "|" + repeated);
  }
  for (const std::string& text : texts) EXPECT_EQ(unzipped(zipped(text)), text) << text.size();
}

TEST(Gzip, TheSameHoweverItIsDivided) {
  const std::string text = records(20'000);
  const std::string whole = zipped(text);
  EXPECT_EQ(zipped(text, 1000), whole);
  EXPECT_EQ(zipped(text, 262'145), whole);
  EXPECT_EQ(zipped(noise(3000, 4, 1), 1), zipped(noise(3000, 4, 1)));
}

TEST(Gzip, IsSmall) {
  // A record is three stretches that repeat and two bytes that may not: at best some 10 bytes.
  EXPECT_LT(zipped(records(20'000)).size(), 20'000u * 14);
  EXPECT_LT(zipped(std::string(1 << 20, 'x')).size(), 4u * 2000);
  EXPECT_LT(zipped(noise(1 << 20, 256, 1)).size(), (1u << 20) * 101 / 100);  // grows by less than 1 %
}

TEST(GzipThread, WritesWhatTheEncoderDoes) {
  for (const std::size_t n : {0u, 10u, 100'000u}) {
    const std::string text = records(n);
    std::string out;
    GzipThread thread([&](std::string_view bytes) { out += bytes; });
    for (std::size_t i = 0; i < text.size(); i += 777) thread.write(std::string_view(text).substr(i, 777));
    thread.finish();
    EXPECT_EQ(out, zipped(text)) << n;
  }
}

TEST(GzipThread, TellsOfFailuresAtTheEnd) {
  const std::string text = noise(1 << 20, 256, 1);
  GzipThread thread([&](std::string_view bytes) {
    if (!bytes.empty()) throw std::runtime_error("no");
  });
  for (int i = 0; i < 20; ++i) thread.write(text);  // more than may wait
  EXPECT_THROW(thread.finish(), std::runtime_error);
}

TEST(GzipThread, MayBeLeftInTheMiddle) {
  std::string out;
  {
    GzipThread thread([&](std::string_view bytes) { out += bytes; });
    for (int i = 0; i < 10; ++i) thread.write(records(10'000));
  }
  EXPECT_LT(out.size(), 10u * 10'000 * 100);
}

}  // namespace
}  // namespace hopsim
