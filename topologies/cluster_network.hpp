// What joins several domains of GPUs.
#pragma once

#include "topologies/link_model.hpp"

namespace hopsim {

// How the NICs of several domains, one a GPU, are joined. A pod is what hangs on one set of leaf switches.
struct ClusterNetwork {
  enum class Kind {
    one_switch,  // ideal: one non-blocking switch
    rails,       // rail-optimised: GPU r of every domain of a pod on the pod's leaf r
    leaf_spine,  // all GPUs of a pod on the pod's one leaf
  } kind = Kind::one_switch;
  LinkModel nic{};         // of one GPU, one way
  int pod = 0;             // domains; 0: all
  int spines = 0;          // each leaf has a link to all of them
  LinkModel leaf_spine{};  // of one such link
};

}  // namespace hopsim
