// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS Development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

// Tests that read_dump reads a file that dump gpz wrote in the same run.

#include "../testing/core.h"
#include "../testing/systems/melt.h"
#include "../testing/utils.h"
#include "atom.h"
#include "domain.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <vector>

bool verbose = false;

namespace LAMMPS_NS {

class DumpGPZTest : public MeltTest {
protected:
    const char *file   = "dump_gpz.melt.gpz";
    const double bound = 1.0e-4;

    void TearDown() override
    {
        MeltTest::TearDown();
        delete_file(file);
    }

    void write_frames(const std::string &columns, const std::string &settings)
    {
        HIDE_OUTPUT([&] {
            command("fix 1 all nve");
            command(std::string("dump 1 all gpz 5 ") + file + " " + columns);
            command(fmt::format("dump_modify 1 eb {} {}", bound, settings));
            command("run 10 post no");
            command("undump 1");
        });
        ASSERT_FILE_EXISTS(file);
    }

    // positions and velocities in the order of IDs
    std::vector<std::array<double, 6>> state() const
    {
        std::vector<std::array<double, 6>> rows(lmp->atom->natoms);
        for (int i = 0; i < lmp->atom->nlocal; ++i) {
            auto &row = rows[lmp->atom->tag[i] - 1];
            for (int d = 0; d < 3; ++d) {
                row[d]     = lmp->atom->x[i][d];
                row[3 + d] = lmp->atom->v[i][d];
            }
        }
        return rows;
    }

    // the largest differences of positions, across periodic edges, and of velocities
    std::array<double, 2> difference(const std::vector<std::array<double, 6>> &expected) const
    {
        auto found = state();
        std::array<double, 2> largest{};
        for (std::size_t i = 0; i < found.size(); ++i) {
            double image[3];
            lmp->domain->closest_image(expected[i].data(), found[i].data(), image);
            for (int d = 0; d < 3; ++d) {
                largest[0] = std::max(largest[0], std::fabs(image[d] - expected[i][d]));
                largest[1] = std::max(largest[1], std::fabs(found[i][3 + d] - expected[i][3 + d]));
            }
        }
        return largest;
    }

    void check_last_frame()
    {
        auto expected = state();
        HIDE_OUTPUT([&] {
            command("displace_atoms all move 0.2 0.1 0.3 units box");
            command("velocity all set 0.0 0.0 0.0");
        });
        EXPECT_GT(difference(expected)[0], 0.1);
        HIDE_OUTPUT([&] {
            command(std::string("read_dump ") + file + " 10 x y z vx vy vz format gpz");
        });
        EXPECT_LE(difference(expected)[0], bound * (1.0 + 1.0e-9));
        EXPECT_GT(difference(expected)[0], 0.0);
        EXPECT_LE(difference(expected)[1], 1.0e-6 * (1.0 + 1.0e-9));
    }
};

TEST_F(DumpGPZTest, last_frame)
{
    write_frames("id type x y z vx vy vz", "bound v* 1e-6");
    check_last_frame();
}

TEST_F(DumpGPZTest, last_frame_triclinic)
{
    HIDE_OUTPUT([&] {
        command("change_box all triclinic");
        command("change_box all xy final 0.3 remap");
    });
    write_frames("id type x y z vx vy vz", "bound v* 1e-6");
    check_last_frame();
}

TEST_F(DumpGPZTest, key_frames_only)
{
    write_frames("id type x y z vx vy vz", "bound v* 1e-6 key 1");
    check_last_frame();
}

TEST_F(DumpGPZTest, lossless_velocities)
{
    write_frames("id type x y z vx vy vz", "bound v* lossless");
    auto expected = state();
    HIDE_OUTPUT([&] {
        command("velocity all set 0.0 0.0 0.0");
        command(std::string("read_dump ") + file + " 10 x y z vx vy vz format gpz");
    });
    EXPECT_EQ(difference(expected)[1], 0.0);
}

TEST_F(DumpGPZTest, bound_has_to_be_positive)
{
    HIDE_OUTPUT([&] {
        command(std::string("dump 1 all gpz 5 ") + file + " id type x y z");
    });
    TEST_FAILURE("ERROR", command("dump_modify 1 eb -1.0"););
}

} // namespace LAMMPS_NS

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    ::testing::InitGoogleMock(&argc, argv);
    if ((argc > 1) && (strcmp(argv[1], "-v") == 0)) verbose = true;
    int rv = RUN_ALL_TESTS();
    MPI_Finalize();
    return rv;
}
