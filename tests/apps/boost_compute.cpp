/*
 * Boost.Compute's algorithms on the platform under test, beside those of the C++ library.
 */
#define BOOST_COMPUTE_DEBUG_KERNEL_COMPILATION
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/count_if.hpp>
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/gather.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/inner_product.hpp>
#include <boost/compute/algorithm/lower_bound.hpp>
#include <boost/compute/algorithm/max_element.hpp>
#include <boost/compute/algorithm/merge.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/reverse.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/algorithm/stable_partition.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/unique.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/functional/math.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/system.hpp>
#include <boost/version.hpp>

namespace compute = boost::compute;

namespace {

int cases, right;

void note(const char *type, const char *what, bool good)
{
	cases++;
	right += good;
	std::printf("  %-7s %-34s %s\n", type, what, good ? "as std's" : "WRONG");
}

std::uint64_t state = 1;

// Small whole numbers, some of them twice, the same in every run: sums of them are exact in float, too.
template <typename T> std::vector<T> some(size_t count)
{
	std::vector<T> values(count);

	for (T &value : values) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		value = static_cast<T>(state >> 54) - static_cast<T>(std::is_signed<T>::value ? 512 : 0);
	}
	return values;
}

template <typename T> struct device_vector : compute::vector<T> {
	explicit device_vector(const std::vector<T> &values) : compute::vector<T>(values.begin(), values.end()) {}
	std::vector<T> back()
	{
		std::vector<T> values(this->size());

		compute::copy(this->begin(), this->end(), values.begin());
		return values;
	}
};

template <typename T> void sorting(const char *type, const std::vector<T> &a, const std::vector<T> &b)
{
	std::vector<T> wanted = a, other = b, both(a.size() + b.size());
	device_vector<T> x(a), y(b), merged(both);

	std::sort(wanted.begin(), wanted.end());
	compute::sort(x.begin(), x.end());
	note(type, "sort", x.back() == wanted);
	std::sort(other.begin(), other.end(), std::greater<T>());
	compute::sort(y.begin(), y.end(), compute::greater<T>());
	note(type, "sort, greatest first", y.back() == other);

	std::reverse(other.begin(), other.end());
	compute::reverse(y.begin(), y.end());
	note(type, "reverse", y.back() == other);
	std::merge(wanted.begin(), wanted.end(), other.begin(), other.end(), both.begin());
	compute::merge(x.begin(), x.end(), y.begin(), y.end(), merged.begin());
	note(type, "merge", merged.back() == both);
	note(type, "lower_bound", compute::lower_bound(x.begin(), x.end(), T(100)) - x.begin() ==
					  std::lower_bound(wanted.begin(), wanted.end(), T(100)) - wanted.begin());
	size_t kept = std::unique(wanted.begin(), wanted.end()) - wanted.begin();
	size_t there = compute::unique(x.begin(), x.end()) - x.begin();
	wanted.resize(kept);
	std::vector<T> got = x.back();
	got.resize(std::min(there, got.size()));
	note(type, "unique", got == wanted);
}

// Keys with their places: equal keys stay in their order.
template <typename T> void pairs(const char *type, const std::vector<T> &keys)
{
	std::vector<std::int32_t> places(keys.size());
	std::iota(places.begin(), places.end(), 0);
	device_vector<T> x(keys), gathered(keys);
	device_vector<std::int32_t> y(places);

	compute::sort_by_key(x.begin(), x.end(), y.begin());
	std::vector<std::int32_t> got = y.back();
	std::stable_sort(places.begin(), places.end(), [&](int i, int j) { return keys[i] < keys[j]; });
	std::vector<T> wanted;
	for (int place : places)
		wanted.push_back(keys[place]);
	note(type, "sort_by_key, the keys", x.back() == wanted);
	std::vector<std::int32_t> each = got;
	std::sort(each.begin(), each.end());
	bool all = std::equal(got.begin(), got.end(), wanted.begin(), [&](int i, T key) { return keys[i] == key; });
	for (size_t i = 0; i < each.size(); i++)
		all = all && each[i] == static_cast<std::int32_t>(i);
	note(type, "sort_by_key, the values", all);
	device_vector<T> source(keys);
	compute::gather(y.begin(), y.end(), source.begin(), gathered.begin());
	note(type, "gather", gathered.back() == wanted);
}

template <typename T> void sums(const char *type, const std::vector<T> &a, const std::vector<T> &b)
{
	std::vector<T> wanted(a.size());
	device_vector<T> x(a), y(b), z(a);
	T sum = 0, most = 0;

	compute::reduce(x.begin(), x.end(), &sum, compute::plus<T>());
	note(type, "reduce", sum == std::accumulate(a.begin(), a.end(), T(0)));
	compute::reduce(x.begin(), x.end(), &most, compute::max<T>());
	note(type, "reduce, the greatest", most == *std::max_element(a.begin(), a.end()));
	note(type, "max_element", compute::max_element(x.begin(), x.end()) - x.begin() ==
					  std::max_element(a.begin(), a.end()) - a.begin());
	note(type, "inner_product", compute::inner_product(x.begin(), x.end(), y.begin(), T(3)) ==
					    std::inner_product(a.begin(), a.end(), b.begin(), T(3)));
	compute::inclusive_scan(x.begin(), x.end(), z.begin());
	std::partial_sum(a.begin(), a.end(), wanted.begin());
	note(type, "inclusive_scan", z.back() == wanted);
	compute::exclusive_scan(x.begin(), x.end(), z.begin(), T(7));
	std::rotate(wanted.begin(), wanted.end() - 1, wanted.end());
	wanted[0] = 0;
	for (T &value : wanted)
		value += 7;
	note(type, "exclusive_scan", z.back() == wanted);
}

template <typename T> void choosing(const char *type, const std::vector<T> &a, const std::vector<T> &b)
{
	using compute::lambda::_1;
	using compute::lambda::_2;
	std::vector<T> wanted(a.size()), few;
	device_vector<T> x(a), y(b), z(a);
	auto large = [](T value) { return value > 200; };

	compute::transform(x.begin(), x.end(), y.begin(), z.begin(), 3 * _1 - _2);
	std::transform(a.begin(), a.end(), b.begin(), wanted.begin(), [](T p, T q) { return 3 * p - q; });
	note(type, "transform by a lambda", z.back() == wanted);
	note(type, "count_if", compute::count_if(x.begin(), x.end(), _1 > 200) ==
				       static_cast<size_t>(std::count_if(a.begin(), a.end(), large)));
	std::copy_if(a.begin(), a.end(), std::back_inserter(few), large);
	size_t there = compute::copy_if(x.begin(), x.end(), z.begin(), _1 > 200) - z.begin();
	std::vector<T> got = z.back();
	got.resize(std::min(there, got.size()));
	note(type, "copy_if", got == few);
	wanted = a;
	std::stable_partition(wanted.begin(), wanted.end(), large);
	compute::stable_partition(x.begin(), x.end(), _1 > 200);
	note(type, "stable_partition", x.back() == wanted);
}

template <typename T> void all(const char *type)
{
	// Not a multiple of any work-group's size.
	std::vector<T> a = some<T>(2999), b = some<T>(2999);

	sorting<T>(type, a, b);
	pairs<T>(type, a);
	sums<T>(type, a, b);
	choosing<T>(type, a, b);
}

// OpenCL C 3.0, section 7.4: sqrt is within 3 ulp in float, and correctly rounded in double.
template <typename T> void roots(const char *type)
{
	std::vector<T> a = some<T>(1000);
	double worst = 0;

	for (T &value : a)
		value = std::abs(value);
	device_vector<T> x(a), y(a);
	compute::transform(x.begin(), x.end(), y.begin(), compute::sqrt<T>());
	std::vector<T> got = y.back();
	for (size_t i = 0; i < a.size(); i++) {
		double root = std::sqrt(static_cast<double>(a[i]));
		worst = std::max(worst, std::abs(got[i] - root) / std::max(root, 1.0));
	}
	note(type, "transform by sqrt", worst <= 3.0 * std::numeric_limits<T>::epsilon());
}

} // namespace

int main()
{
	try {
		compute::device device = compute::system::default_device();

		all<std::int32_t>("int");
		all<std::uint64_t>("ulong");
		all<float>("float");
		roots<float>("float");
		if (device.supports_extension("cl_khr_fp64")) {
			all<double>("double");
			roots<double>("double");
		}
		std::printf("Boost.Compute %d.%d.%d on %s: %d of %d results right\n", BOOST_VERSION / 100000,
			    BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, device.name().c_str(), right, cases);
	} catch (const std::exception &error) {
		std::printf("Boost.Compute: %s\n", error.what());
		return 1;
	}
	return right != cases;
}
