// SPDX-License-Identifier: BSD-3-Clause
#include "elements.hpp"

#include <cctype>
#include <sstream>

namespace gpz::molfile {
namespace {

constexpr const char *symbols =
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb "
    "Mo "
    "Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg "
    "Tl "
    "Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og";

std::string in_capitals(std::string text) {
  for (char &c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

int atomic_number(const std::string &symbol) {
  std::istringstream list(symbols);
  std::string each;
  for (int number = 1; list >> each; ++number)
    if (in_capitals(each) == in_capitals(symbol)) return number;
  return 0;
}

}  // namespace gpz::molfile
