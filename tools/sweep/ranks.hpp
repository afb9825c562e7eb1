// The processes that `mpirun -n N` made of one command, and messages between them. Rank 0 speaks for all: to people
// and to files.
//
// MPI takes longer to load than most runs take, so it is in a plug-in beside the program (ranks_mpi.cpp), which is
// loaded only in processes that were started by mpirun.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace hopsim {

// From the environment: Open MPI sets OMPI_COMM_WORLD_RANK and _SIZE; MPICH, Intel MPI and Slurm PMI_RANK and
// PMI_SIZE.
struct Launch {
  int rank = 0, size = 1;
};
Launch launch_of_environment();

class Ranks {
 public:
  struct Message {
    int from = 0;
    std::string bytes;
  };

  virtual ~Ranks() = default;  // waits for all others to do the same
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int on_this_machine() const = 0;
  // To be called from one thread only, the one that joined.
  virtual void send(int to, const std::string& bytes) = 0;
  virtual std::optional<Message> receive() = 0;  // one that has come; does not wait
};

// None where this process is alone. Throws InputError where it is not, and there is no plug-in.
std::unique_ptr<Ranks> join_ranks();

}  // namespace hopsim
