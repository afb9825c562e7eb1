#include "topologies/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Wraps = std::vector<bool>;
using Sizes = std::vector<int>;

// The Scaling Book's TPU table, chapter 2; v2 from chapter 9 and Jouppi et al. 2020. 0: not published.
struct Row {
  const char* name;
  double bf16, int8, hbm_bytes, hbm_rate, link, pcie, dcn;
  int chips, links;
};
constexpr Row kTable[] = {
    {"tpu_v2", 4.6e13, 0, 16e9, 7.0e11, 6.0e10, 0, 0, 256, 4},
    {"tpu_v3", 1.4e14, 1.4e14, 32e9, 9.0e11, 1.0e11, 0, 0, 1024, 4},
    {"tpu_v4p", 2.75e14, 2.75e14, 32e9, 1.2e12, 4.5e10, 1.6e10, 6.25e9, 4096, 6},
    {"tpu_v5e", 1.97e14, 3.94e14, 16e9, 8.2e11, 4.5e10, 1.6e10, 3.125e9, 256, 4},
    {"tpu_v5p", 4.59e14, 9.18e14, 96e9, 2.8e12, 9.0e10, 1.6e10, 6.25e9, 8960, 6},
    {"tpu_v6e", 9.20e14, 1.84e15, 32e9, 1.6e12, 9.0e10, 3.2e10, 12.5e9, 256, 4},
    {"tpu7x", 2.30e15, 4.61e15, 192e9, 7.4e12, 9.0e10, 0, 12.5e9, 9216, 6},
};

double rate(const std::optional<Sourced<Bandwidth>>& bandwidth) {
  return bandwidth ? double(bandwidth->value.bytes_per_second()) : 0;
}

class CatalogueTable : public testing::TestWithParam<Row> {};

TEST_P(CatalogueTable, HasTheNumbersOfTheBook) {
  const Row& row = GetParam();
  const ChipModel chip = find_chip(row.name);
  EXPECT_EQ(double(peak_flops(chip, "bf16").flops_per_second()), row.bf16);
  if (row.int8 == 0) {
    EXPECT_THROW(peak_flops(chip, "int8"), InputError);
  } else {
    EXPECT_EQ(double(peak_flops(chip, "int8").flops_per_second()), row.int8);
  }
  EXPECT_EQ(double(chip.hbm_capacity.value.count()), row.hbm_bytes);
  EXPECT_EQ(double(chip.hbm_bandwidth.value.bytes_per_second()), row.hbm_rate);
  EXPECT_EQ(double(chip.link_bandwidth.value.bytes_per_second()), row.link);
  EXPECT_EQ(rate(chip.pcie_bandwidth), row.pcie);
  EXPECT_EQ(rate(torus_fabric(chip).dcn_bandwidth), row.dcn);
  EXPECT_EQ(pod_chips(chip), std::uint32_t(row.chips));
  EXPECT_EQ(torus_fabric(chip).links_per_chip.value, row.links);
  EXPECT_EQ(torus_fabric(chip).links_per_chip.value, 2 * torus_fabric(chip).dimensions.value);
  EXPECT_EQ(torus_fabric(chip).pod_shape.value.size(), std::size_t(torus_fabric(chip).dimensions.value));
  EXPECT_EQ(chip.hop_latency.value, Time::picoseconds(1'000'000));
}

TEST_P(CatalogueTable, HasASourceForEveryNumber) {
  const ChipModel chip = find_chip(GetParam().name);
  EXPECT_EQ(chip.name, GetParam().name);
  EXPECT_THAT(chip.description, Not(IsEmpty()));
  EXPECT_GE(chip.numbers.size(), 15u);
  for (const CatalogueNumber& number : chip.numbers) {
    EXPECT_GE(number.source.size(), 10u) << number.key;
    EXPECT_THAT(number.text, Not(IsEmpty())) << number.key;
  }
}

TEST_P(CatalogueTable, WrapsItsWholePod) {
  const ChipModel chip = find_chip(GetParam().name);
  const Sizes& pod = torus_fabric(chip).pod_shape.value;
  EXPECT_EQ(wraparound(chip, pod), Wraps(pod.size(), true));
}

INSTANTIATE_TEST_SUITE_P(Book, CatalogueTable, testing::ValuesIn(kTable),
                         [](const auto& row) { return std::string(row.param.name); });

// The Scaling Book's GPU and NVLink tables (A100 to GB200), NVIDIA's and AMD's datasheets for the others. Dense
// rates; `link` is one way: of a switched GPU all its NVLinks together, of the others one pair's or one NVLink.
struct GpuRow {
  const char* name;
  const char* dtype;
  double flops, hbm_bytes, hbm_rate;
  GpuFabric::Wiring wiring;
  double link;
  int links, gpus;
  bool nvls;
  double nic;
};
using enum GpuFabric::Wiring;
constexpr GpuRow kGpus[] = {
    {"v100_dgx1", "fp16", 1.25e14, 32e9, 9.0e11, hybrid_cube_mesh, 25e9, 6, 8, false, 6.25e9},
    {"a100_sxm", "bf16", 3.12e14, 80e9, 2.0e12, switched, 300e9, 12, 8, false, 25e9},
    {"h100_sxm", "bf16", 9.9e14, 80e9, 3.35e12, switched, 450e9, 18, 8, true, 50e9},
    {"h200_sxm", "bf16", 9.9e14, 141e9, 4.8e12, switched, 450e9, 18, 8, true, 50e9},
    {"b200", "bf16", 2.25e15, 192e9, 8.0e12, switched, 900e9, 18, 8, true, 50e9},
    {"b300", "bf16", 2.25e15, 288e9, 8.0e12, switched, 900e9, 18, 8, true, 100e9},
    {"gb200_nvl72", "bf16", 2.5e15, 186e9, 8.0e12, switched, 900e9, 18, 72, true, 50e9},
    {"gb300_nvl72", "bf16", 2.5e15, 288e9, 8.0e12, switched, 900e9, 18, 72, true, 100e9},
    {"gh200_quad", "bf16", 9.9e14, 96e9, 4.0e12, fully_connected, 150e9, 18, 4, false, 25e9},
    {"mi300x", "bf16", 1.3074e15, 192e9, 5.3e12, fully_connected, 64e9, 7, 8, false, 50e9},
    {"mi325x", "bf16", 1.3074e15, 256e9, 6.0e12, fully_connected, 64e9, 7, 8, false, 50e9},
    {"mi355x", "bf16", 2.5166e15, 288e9, 8.0e12, fully_connected, 76.8e9, 7, 8, false, 50e9},
};

class GpuTable : public testing::TestWithParam<GpuRow> {};

TEST_P(GpuTable, HasTheNumbersOfItsSources) {
  const GpuRow& row = GetParam();
  const ChipModel chip = find_chip(row.name);
  ASSERT_NE(gpu_fabric(chip), nullptr);
  const GpuFabric& gpu = *gpu_fabric(chip);
  EXPECT_EQ(double(peak_flops(chip, row.dtype).flops_per_second()), row.flops);
  EXPECT_EQ(double(chip.hbm_capacity.value.count()), row.hbm_bytes);
  EXPECT_EQ(double(chip.hbm_bandwidth.value.bytes_per_second()), row.hbm_rate);
  EXPECT_EQ(double(chip.link_bandwidth.value.bytes_per_second()), row.link);
  EXPECT_EQ(gpu.wiring, row.wiring);
  EXPECT_EQ(gpu.links_per_chip.value, row.links);
  EXPECT_EQ(gpu.gpus_per_domain.value, row.gpus);
  EXPECT_EQ(gpu.nvls.value, row.nvls);
  EXPECT_EQ(double(gpu.nic_bandwidth.value.bytes_per_second()), row.nic);
}

// From GPU to GPU one microsecond, over a switch or not.
TEST_P(GpuTable, HasAMicrosecondBetweenNeighbours) {
  const ChipModel chip = find_chip(GetParam().name);
  const std::uint64_t hops = GetParam().wiring == switched ? 2 : 1;
  EXPECT_EQ(hops * chip.hop_latency.value, Time::picoseconds(1'000'000));
}

TEST_P(GpuTable, HasASourceForEveryNumber) {
  const ChipModel chip = find_chip(GetParam().name);
  EXPECT_EQ(chip.name, GetParam().name);
  EXPECT_GE(chip.numbers.size(), 18u);
  for (const CatalogueNumber& number : chip.numbers) EXPECT_GE(number.source.size(), 10u) << number.key;
}

INSTANTIATE_TEST_SUITE_P(Datasheets, GpuTable, testing::ValuesIn(kGpus),
                         [](const auto& row) { return std::string(row.param.name); });

// Scaling Book: 32 nodes on 8 leaves; each leaf has 32 x 50 GB/s down and as much up, 4 pods on 16 spines.
TEST(Catalogue, AnH100SuperPodBlocksNothing) {
  const ChipModel chip = find_chip("h100_sxm");
  const GpuFabric& gpu = *gpu_fabric(chip);
  EXPECT_EQ(gpu.network.value, ClusterNetwork::Kind::rails);
  EXPECT_EQ(gpu.pod_domains.value, 32);
  EXPECT_EQ(gpu.spines.value * double(gpu.leaf_spine_bandwidth.value.bytes_per_second()), 32 * 50e9);
}

TEST(Catalogue, ListsTpusThenGpusInOrder) {
  std::vector<std::string> names;
  for (const Row& row : kTable) names.emplace_back(row.name);
  for (const GpuRow& row : kGpus) names.emplace_back(row.name);
  EXPECT_EQ(catalogue_names(), names);
}

TEST(Catalogue, MeasuredChipsCarryTheirFits) {
  const auto payload = [](const ChipModel& chip) {
    return double(chip.link_bandwidth.value.bytes_per_second()) * chip.link_efficiency.value.value();
  };
  const ChipModel v5e = find_chip("tpu_v5e"), v5p = find_chip("tpu_v5p"), v6e = find_chip("tpu_v6e");
  EXPECT_NEAR(payload(v5e), 42.7e9, 0.01e9);
  EXPECT_NEAR(payload(v5p), 86.3e9, 0.01e9);
  EXPECT_NEAR(payload(v6e), 86.8e9, 0.01e9);
  EXPECT_EQ(v5e.launch_overhead.value.ps(), 6'000'000u);
  EXPECT_EQ(v5p.launch_overhead.value.ps(), 3'800'000u);
  EXPECT_EQ(v5e.flops_efficiency.value, (Ratio{95, 100}));
}

TEST(Catalogue, PodsAddUp) {
  const auto pod_flops = [](const char* name) {
    const ChipModel chip = find_chip(name);
    return double(pod_chips(chip)) * double(peak_flops(chip, "bf16").flops_per_second());
  };
  EXPECT_DOUBLE_EQ(pod_flops("tpu_v5e"), 5.0432e16);
  EXPECT_DOUBLE_EQ(pod_flops("tpu_v5p"), 4.11264e18);
}

TEST(Wraparound, OfCubesIsAllOrNothing) {
  for (const char* name : {"tpu_v4p", "tpu_v5p", "tpu7x"}) {
    const ChipModel chip = find_chip(name);
    EXPECT_EQ(wraparound(chip, Sizes({4, 4, 4})), Wraps(3, true));
    EXPECT_EQ(wraparound(chip, Sizes({4, 4, 8})), Wraps(3, true));
    EXPECT_EQ(wraparound(chip, Sizes({8, 12, 4})), Wraps(3, true));
    EXPECT_EQ(wraparound(chip, Sizes({2, 2, 4})), Wraps(3, false));
    EXPECT_EQ(wraparound(chip, Sizes({4, 4, 2})), Wraps(3, false));
    EXPECT_EQ(wraparound(chip, Sizes({4, 4, 6})), Wraps(3, false));
    EXPECT_EQ(wraparound(chip, Sizes({4, 4, 1})), Wraps(3, false));
    EXPECT_EQ(wraparound(chip, Sizes({16, 16})), Wraps(2, false));
  }
}

TEST(Wraparound, OfFlatPodsNeedsAWholeSide) {
  for (const char* name : {"tpu_v5e", "tpu_v6e"}) {
    const ChipModel chip = find_chip(name);
    EXPECT_EQ(wraparound(chip, Sizes({16, 16})), (Wraps{true, true}));
    EXPECT_EQ(wraparound(chip, Sizes({8, 16})), (Wraps{false, true}));
    EXPECT_EQ(wraparound(chip, Sizes({16, 2})), (Wraps{true, false}));
    for (const Sizes& none : {Sizes({4, 4}), Sizes({8, 8}), Sizes({2, 2}), Sizes({4, 8}), Sizes({32, 1})}) {
      EXPECT_EQ(wraparound(chip, none), (Wraps{false, false}));
    }
  }
  EXPECT_EQ(wraparound(find_chip("tpu_v3"), Sizes({16, 32})), (Wraps{false, true}));
}

TEST(Wraparound, NeverJoinsTwoNeighbours) {
  ChipModel chip = find_chip("tpu_v5e");
  std::get<TorusFabric>(chip.fabric).wraparound.value = {WrapRule::Kind::full_axis, 2};
  EXPECT_EQ(wraparound(chip, Sizes({2, 2})), (Wraps{false, false}));
}

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

TEST(Wraparound, RefusesMoreDimensionsThanTheChipHas) {
  EXPECT_THAT(complaint([] {
                wraparound(find_chip("tpu_v5e"), Sizes({4, 4, 4}));
              }),
              AllOf(HasSubstr("got 4x4x4"), HasSubstr("up to 2, as 16x16")));
}

TEST(Catalogue, SuggestsTheNearestName) {
  EXPECT_THAT(complaint([] { find_chip("tpu_v4"); }),
              AllOf(HasSubstr("unknown chip (did you mean tpu_v4p?); got tpu_v4; valid: "), HasSubstr("tpu7x")));
  EXPECT_THAT(complaint([] { find_chip("tpu_v7x"); }), HasSubstr("did you mean tpu7x?"));
  EXPECT_THAT(complaint([] { find_chip("abacus"); }), AllOf(Not(HasSubstr("did you mean")), HasSubstr("tpu_v5e")));
  EXPECT_THAT(complaint([] { find_chip(""); }), HasSubstr("valid: tpu_v2"));
}

TEST(Catalogue, SaysWhichDtypesItKnows) {
  EXPECT_THAT(complaint([] { peak_flops(find_chip("tpu_v2"), "int8"); }),
              AllOf(HasSubstr("tpu_v2"), HasSubstr("got int8"), HasSubstr("valid: bf16")));
  EXPECT_THAT(complaint([] { peak_flops(ChipModel{}, "bf16"); }), HasSubstr("overrides"));
}

TEST(SetNumber, ReplacesANumberAndItsSource) {
  ChipModel chip = find_chip("tpu_v5e");
  const std::size_t count = chip.numbers.size();
  set_number(chip, "link_bandwidth", "50 GB/s", "test");
  EXPECT_EQ(chip.link_bandwidth.value.bytes_per_second(), 50'000'000'000u);
  EXPECT_EQ(chip.link_bandwidth.source, "test");
  EXPECT_EQ(chip.numbers.size(), count);
  set_number(chip, "link_efficiency", "80%", "test");
  EXPECT_EQ(chip.link_efficiency.value, (Ratio{4, 5}));
}

TEST(SetNumber, OnePeakStandsForEveryDtype) {
  ChipModel chip = find_chip("tpu_v5e");
  set_number(chip, "peak_flops.int8", "400 TFLOP/s", "test");
  EXPECT_EQ(peak_flops(chip, "int8").flops_per_second(), 400'000'000'000'000u);
  EXPECT_EQ(peak_flops(chip, "bf16").flops_per_second(), 197'000'000'000'000u);
  set_number(chip, "peak_flops", "1 TFLOP/s", "test");
  EXPECT_EQ(peak_flops(chip, "int8").flops_per_second(), 1'000'000'000'000u);
  EXPECT_EQ(peak_flops(chip, "fp32").flops_per_second(), 1'000'000'000'000u);
}

TEST(SetNumber, RefusesWhatMakesNoSense) {
  ChipModel chip = find_chip("tpu_v5e");
  const auto set = [&](const char* key, const char* text) {
    return complaint([&] { set_number(chip, key, text, "test"); });
  };
  EXPECT_THAT(set("link_bandwith", "45 GB/s"), AllOf(HasSubstr("got link_bandwith"), HasSubstr("link_bandwidth")));
  EXPECT_THAT(set("peak_flops.bf17", "1 TFLOP/s"), AllOf(HasSubstr("got bf17"), HasSubstr("bf16")));
  for (const char* bad : {"0", "1.5", "-0.5", "nan", "inf", "", "0.9x", "101%"}) {
    EXPECT_THAT(set("link_efficiency", bad), Not(HasSubstr("no complaint"))) << bad;
  }
  EXPECT_THAT(set("link_bandwidth", "0 GB/s"), Not(HasSubstr("no complaint")));
  EXPECT_THAT(set("hop_latency", "1"), Not(HasSubstr("no complaint")));
  EXPECT_EQ(chip.link_bandwidth.value.bytes_per_second(), 45'000'000'000u);
}

TEST(SetNumber, KnowsWhatAKindOfChipHas) {
  ChipModel gpu = find_chip("h100_sxm"), tpu = find_chip("tpu_v5e");
  set_number(gpu, "nic_bandwidth", "100 GB/s", "test");
  EXPECT_EQ(gpu_fabric(gpu)->nic_bandwidth.value.bytes_per_second(), 100'000'000'000u);
  set_number(gpu, "network", "leaf_spine", "test");
  EXPECT_EQ(gpu_fabric(gpu)->network.value, ClusterNetwork::Kind::leaf_spine);
  set_number(tpu, "dcn_bandwidth", "1 GB/s", "test");
  EXPECT_EQ(torus_fabric(tpu).dcn_bandwidth->value.bytes_per_second(), 1'000'000'000u);
  const auto refusal = [](ChipModel& chip, const char* key) {
    return complaint([&] { set_number(chip, key, "1 GB/s", "test"); });
  };
  EXPECT_THAT(refusal(tpu, "nic_bandwidth"), HasSubstr("unknown key of tpu_v5e; got nic_bandwidth"));
  EXPECT_THAT(refusal(gpu, "dcn_bandwidth"), AllOf(HasSubstr("unknown key of h100_sxm"), HasSubstr("nic_bandwidth")));
  EXPECT_THAT(refusal(gpu, "gpus_per_domain"), HasSubstr("unknown key"));  // that would be another product
  EXPECT_THAT(complaint([&] { set_number(gpu, "network", "mesh", "test"); }),
              HasSubstr("got mesh; valid: one_switch, rails, leaf_spine"));
}

TEST(MakeIdeal, LeavesTheDatasheet) {
  ChipModel chip = find_chip("tpu7x");
  make_ideal(chip);
  EXPECT_EQ(chip.flops_efficiency.value, Ratio{});
  EXPECT_EQ(chip.link_efficiency.value, Ratio{});
  EXPECT_EQ(chip.launch_overhead.value, Time{});
  EXPECT_EQ(chip.hop_latency.value.ps(), 1'000'000u);
  ChipModel gpu = find_chip("h100_sxm");
  make_ideal(gpu);
  EXPECT_EQ(gpu_fabric(gpu)->nic_efficiency.value, Ratio{});
}

constexpr std::string_view kGoodFile = R"(
name: abacus
description: beads on wires
vendor: Nobody
kind: torus
peak_flops:
  bf16: {value: 1 TFLOP/s, source: a guess}
flops_efficiency: {value: 95%, source: a guess}
hbm_bandwidth: {value: 1 GB/s, source: a guess}
hbm_capacity: {value: 1 GB, source: a guess}
link_bandwidth: {value: 1 GB/s, source: a guess}
link_efficiency: {value: 0.5, source: a guess}
hop_latency: {value: 1 us, source: a guess}
launch_overhead: {value: 1 us, source: a guess}
step_overhead: {value: 0 us, source: a guess}
chunk_overhead: {value: 0 us, source: a guess}
links_per_chip: {value: 4, source: a guess}
dimensions: {value: 2, source: a guess}
pod_shape: {value: 4x4, source: a guess}
wraparound: {value: full_axis_4, source: a guess}
chips_per_host: {value: 4, source: a guess}
)";

// The good file with the line that begins with `start` replaced, or removed if `by` is empty.
std::string changed(const std::string& start, const std::string& by) {
  std::string text(kGoodFile);
  const std::size_t from = text.find("\n" + start) + 1;
  return text.replace(from, text.find('\n', from) + 1 - from, by.empty() ? "" : by + "\n");
}

std::string reading(const std::string& text) {
  return complaint([&] { parse_chip("file.yaml", text); });
}

TEST(ParseChip, IsStrict) {
  EXPECT_EQ(reading(changed("vendor", "vendor: Someone")), "no complaint");
  const std::string flops = "  bf16: {value: 1 TFLOP/s, source: somewhere}\n";
  EXPECT_THAT(reading(changed("hop_latency", "hop_latencies: {value: 1 us, source: somewhere}")),
              AllOf(HasSubstr("file.yaml:13:1: unknown key; got hop_latencies"), HasSubstr("hop_latency")));
  EXPECT_THAT(reading(changed("hop_latency", "")), HasSubstr("missing key; valid: hop_latency"));
  EXPECT_THAT(reading(changed("hop_latency", "hop_latency: {value: 1 us}")), HasSubstr("missing key; valid: source"));
  EXPECT_THAT(reading(changed("hop_latency", "hop_latency: {value: 1 us, source: ''}")),
              HasSubstr("source is no text"));
  EXPECT_THAT(reading(changed("hop_latency", "hop_latency: {source: somewhere}")), HasSubstr("valid: value"));
  EXPECT_THAT(reading(changed("hop_latency", "hop_latency: {value: 1, source: somewhere}")),
              HasSubstr("file.yaml:13:22: "));
  EXPECT_THAT(reading(changed("hop_latency", "hop_latency: 1 us")), HasSubstr("hop_latency is no map"));
  EXPECT_THAT(reading(changed("hop_latency", "hop_latency: {value: 1 us, source: here, unit: us}")),
              HasSubstr("unknown key; got unit; valid: value, source"));
  EXPECT_THAT(reading(changed("name", "name: a\nname: b")), HasSubstr("file.yaml:3:1: key given twice; got name"));
  EXPECT_THAT(reading(changed("  bf16", flops + flops)), HasSubstr("key given twice; got bf16"));
  EXPECT_THAT(reading(changed("  bf16", "  bf17: {value: 1 TFLOP/s, source: somewhere}")), HasSubstr("got bf17"));
  EXPECT_THAT(reading(changed("kind", "kind: cobweb")),
              HasSubstr("file.yaml:5:7: unknown kind of fabric; got cobweb"));
  EXPECT_THAT(reading(changed("pod_shape", "pod_shape: {value: 4x0, source: somewhere}")), HasSubstr("got 0"));
  EXPECT_THAT(reading(changed("wraparound", "wraparound: {value: never, source: somewhere}")),
              HasSubstr("got never"));
  EXPECT_THAT(reading("name: [\n"), HasSubstr("file.yaml:2:1: "));
  EXPECT_THAT(reading(""), HasSubstr("no map"));
}

}  // namespace
}  // namespace hopsim
