/*
 * ViennaCL's own kernels on the platform under test: vectors, dense and sparse matrices, a solver.
 * What must come out is computed here, in extended precision.
 */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/maxmin.hpp>
#include <viennacl/linalg/norm_1.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/ocl/backend.hpp>
#include <viennacl/scalar.hpp>
#include <viennacl/vector.hpp>
#include <viennacl/version.hpp>

namespace {

int cases, right;

// worst: the largest difference; allowed: what rounding may make.
void note(const char *type, const char *what, double worst, double allowed)
{
	bool good = worst <= allowed;

	cases++;
	right += good;
	std::printf("  %-7s %-24s differs by %.2g of %.2g%s\n", type, what, worst, allowed, good ? "" : ": WRONG");
}

unsigned long state = 1;

// Between -1 and 1, the same in every run.
double next()
{
	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return static_cast<double>(state >> 40) / (1 << 23) - 1;
}

template <typename T> std::vector<T> some(size_t count)
{
	std::vector<T> values(count);

	std::generate(values.begin(), values.end(), [] { return static_cast<T>(next()); });
	return values;
}

template <typename T> double difference(const viennacl::vector<T> &there, const std::vector<double> &wanted)
{
	std::vector<T> got(there.size());
	double worst = 0;

	viennacl::copy(there, got);
	for (size_t i = 0; i < wanted.size(); i++)
		worst = std::max(worst, std::fabs(got[i] - wanted[i]));
	return got.size() == wanted.size() ? worst : INFINITY;
}

template <typename T> void vectors(const char *type, double unit)
{
	const size_t n = 1777;
	std::vector<T> a = some<T>(n), b = some<T>(n);
	viennacl::vector<T> x(n), y(n), z(n);
	std::vector<double> wanted(n);
	long double product = 0, squares = 0, sum = 0, largest = 0;

	viennacl::copy(a, x);
	viennacl::copy(b, y);
	z = T(1.5) * x - T(0.25) * y;
	for (size_t i = 0; i < n; i++) {
		wanted[i] = 1.5 * a[i] - 0.25 * b[i];
		product += static_cast<long double>(a[i]) * b[i];
		squares += static_cast<long double>(a[i]) * a[i];
		sum += std::fabs(static_cast<long double>(a[i]));
		largest = std::max(largest, std::fabs(static_cast<long double>(a[i])));
	}
	note(type, "a x + b y", difference(z, wanted), 4 * unit);
	// Sums are made of partial sums; of those few dozen steps each is off by a unit of the magnitudes' sum.
	note(type, "inner product", std::fabs(T(viennacl::linalg::inner_prod(x, y)) - product), 64 * unit * n);
	note(type, "norm 2", std::fabs(T(viennacl::linalg::norm_2(x)) - std::sqrt(squares)), 64 * unit * 25);
	note(type, "norm 1", std::fabs(T(viennacl::linalg::norm_1(x)) - sum), 64 * unit * sum);
	note(type, "norm infinity", std::fabs(T(viennacl::linalg::norm_inf(x)) - largest), 0);
}

template <typename T> void matrices(const char *type, double unit)
{
	const size_t m = 45, n = 37, k = 61;
	std::vector<T> a = some<T>(m * k), b = some<T>(k * n), v = some<T>(k);
	viennacl::matrix<T> left(m, k), other(k, n), product(m, n);
	viennacl::vector<T> x(k), y(m);
	std::vector<std::vector<T>> rows(m, std::vector<T>(k)), others(k, std::vector<T>(n)), got(m, std::vector<T>(n));
	std::vector<double> wanted(m);
	double worst = 0;

	for (size_t i = 0; i < m * k; i++)
		rows[i / k][i % k] = a[i];
	for (size_t i = 0; i < k * n; i++)
		others[i / n][i % n] = b[i];
	viennacl::copy(rows, left);
	viennacl::copy(others, other);
	viennacl::copy(v, x);
	product = viennacl::linalg::prod(left, other);
	y = viennacl::linalg::prod(left, x);
	viennacl::copy(product, got);
	for (size_t i = 0; i < m; i++) {
		for (size_t j = 0; j < n; j++) {
			long double sum = 0;
			for (size_t l = 0; l < k; l++)
				sum += static_cast<long double>(rows[i][l]) * others[l][j];
			worst = std::max<double>(worst, std::fabs(got[i][j] - sum));
		}
		for (size_t l = 0; l < k; l++)
			wanted[i] += static_cast<double>(rows[i][l]) * v[l];
	}
	note(type, "matrix by matrix", worst, 8 * unit * k);
	note(type, "matrix by vector", difference(y, wanted), 8 * unit * k);
}

// The matrix of a chain: 2.5 in the diagonal, -1 beside it.
template <typename T> void sparse(const char *type, double unit)
{
	const size_t n = 300;
	std::vector<std::map<unsigned, T>> rows(n);
	std::vector<T> b = some<T>(n);
	std::vector<double> wanted(n), solution(n), pivot(n), side(n);
	viennacl::compressed_matrix<T> matrix(n, n);
	viennacl::vector<T> x(n), y(n);

	for (size_t i = 0; i < n; i++) {
		rows[i][i] = T(2.5);
		if (i > 0)
			rows[i][i - 1] = T(-1);
		if (i + 1 < n)
			rows[i][i + 1] = T(-1);
		wanted[i] = 2.5 * b[i] - (i > 0 ? b[i - 1] : 0) - (i + 1 < n ? b[i + 1] : 0);
	}
	viennacl::copy(rows, matrix);
	viennacl::copy(b, x);
	y = viennacl::linalg::prod(matrix, x);
	note(type, "sparse matrix by vector", difference(y, wanted), 8 * unit);
	// Thomas' algorithm here, conjugate gradients there.
	for (size_t i = 0; i < n; i++) {
		pivot[i] = i > 0 ? 2.5 - 1 / pivot[i - 1] : 2.5;
		side[i] = i > 0 ? b[i] + side[i - 1] / pivot[i - 1] : b[i];
	}
	for (size_t i = n; i-- > 0;)
		solution[i] = (side[i] + (i + 1 < n ? solution[i + 1] : 0)) / pivot[i];
	y = viennacl::linalg::solve(matrix, x, viennacl::linalg::cg_tag(100 * unit, 400));
	note(type, "conjugate gradients", difference(y, solution), 10000 * unit);
}

template <typename T> void all(const char *type, double unit)
{
	vectors<T>(type, unit);
	matrices<T>(type, unit);
	sparse<T>(type, unit);
}

} // namespace

int main()
{
	try {
		std::string name = viennacl::ocl::current_device().name();
		all<float>("float", std::ldexp(1, -24));
		if (viennacl::ocl::current_device().double_support())
			all<double>("double", std::ldexp(1, -53));
		std::printf("ViennaCL %d.%d.%d on %s: %d of %d results right\n", VIENNACL_MAJOR_VERSION,
			    VIENNACL_MINOR_VERSION, VIENNACL_PATCH_VERSION, name.c_str(), right, cases);
	} catch (const std::exception &error) {
		std::printf("ViennaCL: %s\n", error.what());
		return 1;
	}
	return right != cases;
}
