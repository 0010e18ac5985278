// Three angle brackets in a row that are no launch.
#include <vector>
#include <map>
template <typename T> struct a { T t; };
template <typename T> struct b { T t; };
template <typename T> struct c { T t; };
using deep = a<b<c<int>>>;  // expect: none
std::vector<std::map<int, std::vector<int>>> table;  // expect: none
static a<b<c<float>>> make() { return a<b<c<float>>>(); }  // expect: none
int shifts(int x, int y) { return (x << 3 >> y) + (x >>= 1) - (y <<= 2); }  // expect: none
struct Out { template <typename T> Out& operator<<(const T& value); };
void print(Out& out, int x) { out << x << (x >> 1) << "<<<"; }  // expect: none
<<<<<<< ours
int kept = 1;  // expect: none
=======
int dropped = 2;  // expect: none
>>>>>>> theirs
