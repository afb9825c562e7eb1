#include "sharding/layer_reference.hpp"

namespace hopsim {
namespace {

// x is rows x inner, w is inner x columns.
Duals matrix_product(const Duals& x, const Duals& w, std::size_t inner) {
  const std::size_t rows = x.size() / inner, columns = w.size() / inner;
  Duals y(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t n = 0; n < inner; ++n)
        y[i * columns + j] = y[i * columns + j] + x[i * inner + n] * w[n * columns + j];
  return y;
}

Duals sum(const Duals& a, const Duals& b) {
  Duals y;
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(a[i] + b[i]);
  return y;
}

Duals mlp(const LayerSpec& s, const DualWeights& w, const Duals& x) {
  Duals hidden = matrix_product(x, w.at("W1"), s.d_model);
  for (Dual& h : hidden) h = h * h;
  return matrix_product(hidden, w.at("W2"), s.d_ff);
}

// Query head h reads the keys and values of head h / (heads / kv_heads).
Duals attention(const LayerSpec& s, const DualWeights& w, const Duals& x) {
  const std::size_t size = s.d_model / s.heads, wide = s.d_model, narrow = s.kv_heads * size;
  const std::size_t each = s.heads / s.kv_heads;
  const Duals q = matrix_product(x, w.at("Wq"), s.d_model), k = matrix_product(x, w.at("Wk"), s.d_model),
              v = matrix_product(x, w.at("Wv"), s.d_model);
  Duals out(q.size());
  for (std::size_t batch = 0; batch < s.batch; ++batch) {
    for (std::size_t head = 0; head < s.heads; ++head) {
      for (std::size_t at = 0; at < s.sequence; ++at) {
        const std::size_t query = (batch * s.sequence + at) * wide + head * size;
        for (std::size_t to = 0; to < s.sequence; ++to) {
          const std::size_t key = (batch * s.sequence + to) * narrow + head / each * size;
          Dual score;
          for (std::size_t i = 0; i < size; ++i) score = score + q[query + i] * k[key + i];
          for (std::size_t i = 0; i < size; ++i) out[query + i] = out[query + i] + score * v[key + i];
        }
      }
    }
  }
  return matrix_product(out, w.at("Wo"), s.d_model);
}

}  // namespace

Duals reference_layer(const LayerSpec& s, const DualWeights& w, const Duals& x) {
  switch (s.kind) {
    case LayerKind::column_linear:
      return matrix_product(x, w.at("W"), s.d_model);
    case LayerKind::row_linear:
      return matrix_product(x, w.at("W"), s.d_ff);
    case LayerKind::mlp:
      return mlp(s, w, x);
    case LayerKind::attention:
      return attention(s, w, x);
    case LayerKind::transformer: {
      const Duals residual = sum(x, attention(s, w, x));
      return sum(residual, mlp(s, w, residual));
    }
  }
  return {};
}

}  // namespace hopsim
