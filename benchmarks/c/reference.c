/* The yardstick: LocalBSGM and LocalBSGVRM on a quadratic world with one direction E and one F, in plain C.

     g(x, y; zeta) = 1/2 y'(A + e E)y - y'((B + e' F)x + c) + s_g n'y
     f(x, y; xi)   = 1/2 (x-a)'P(x-a) + 1/2 (y-b)'D(y-b) + s_f m_x'x + s_f m_y'y

   It does the work of the sampling engine, and less where one problem allows: grad Phi is one product with a matrix that
   is made beforehand, and nobody looks for a divergence. Replicates go in blocks of 64 lanes: a vector of a device is an
   array [d][64], one 64-bit word of xoshiro256** has one sign for each lane, and a block runs through all of its
   iterations before the next one begins, so that its state stays in cache. A product is taken in tiles of a few rows
   and lanes, the sums of which stay in registers.

   Both algorithms are one step. A sample h of the hypergradient is affine in the point z = (x, y), h(z) = L z + l, so

     LocalBSGM     u <- (1 - w) u + w h(z)                                 w = alpha eta
     LocalBSGVRM   u <- (1 - w) (u - h(z')) + h(z)
                      = (1 - w) u + L (z - (1 - w) z') + w l               w = alpha eta^2, z' the previous point

   need one Neumann sum each. The same holds for v and the sampled grad_y g. There are no intrinsics: the compiler makes
   vector instructions of the loops over lanes. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 64, HALF = LANES / 2, ALIGNMENT = 64 };

#define INLINE static inline __attribute__((always_inline))

typedef double row[LANES];

struct world { /* matrices by rows; products that do not change are made by the caller */
    int64_t d_x, d_y;
    const double *A, *E, *P, *D;           /* D is theta D */
    const double *factor, *factor_noise;   /* I - theta A, -theta E */
    const double *B, *F;                   /* -B, -F */
    const double *B_transposed, *F_transposed;
    const double *of_x, *of_y, *of_g;      /* the constants -P a, -theta D b, -c */
    double s_x, s_y, s_g;                  /* sizes of noise: s_f, theta s_f, s_g */
    const double *slope, *intercept;       /* y*(x) = slope x + intercept */
    const double *hessian, *gradient;      /* grad Phi(x) = hessian x + gradient */
};

struct solver {
    int64_t variance_reduced, p, Q;
    double eta, alpha, beta, rho_1, rho_2;
};

struct device {
    row *x, *y, *u, *v, *x_previous, *y_previous;
};

struct work { /* vectors of one step, and of the measures */
    row *x, *y, *r, *r_next, *total, *h, *g, *x_bar, *y_bar, *e;
};

/* ---- random signs ---- */

struct xoshiro {
    uint64_t s[4];
};

static uint64_t rotated(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static uint64_t next(struct xoshiro *g) /* xoshiro256**, Blackman and Vigna */
{
    uint64_t *s = g->s, result = rotated(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotated(s[3], 45);
    return result;
}

static struct xoshiro seeded(uint64_t seed, uint64_t block) /* by SplitMix64, as its authors advise */
{
    struct xoshiro g;
    uint64_t state = seed * 0xD1342543DE82EF95u + block * 0xAF251AF3B0F025B5u;
    for (int i = 0; i < 4; i++) {
        uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        g.s[i] = z ^ (z >> 31);
    }
    return g;
}

/* out = constant + size or constant - size: bit l of a random word is the sign of lane l. */
static void noisy(double *restrict out, double constant, double size, struct xoshiro *g)
{
    uint64_t word = next(g), magnitude;
    memcpy(&magnitude, &size, sizeof magnitude);
    for (int l = 0; l < LANES; l++) {
        uint64_t bits = magnitude ^ ((word << (LANES - 1 - l)) & 0x8000000000000000u);
        double noise;
        memcpy(&noise, &bits, sizeof noise);
        out[l] = constant + noise;
    }
}

static void noisy_vector(row *restrict out, const double *constant, double weight, double size, int64_t d,
                         struct xoshiro *g)
{
    for (int64_t i = 0; i < d; i++) noisy(out[i], weight * constant[i], weight * size, g);
}

/* ---- products ---- (d is at least 1: the compiler vectorises no loop around one that may be empty) */

/* out += M z, where M has n rows and d columns: four rows and two lanes at a time, that is eight sums. */
static void add_product(row *restrict out, const double *restrict M, int64_t n, int64_t d, const row *restrict z)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const double *M_0 = M + i * d, *M_1 = M_0 + d, *M_2 = M_1 + d, *M_3 = M_2 + d;
#pragma omp simd
        for (int l = 0; l < HALF; l++) {
            double a = 0, b = 0, c = 0, e = 0, a_ = 0, b_ = 0, c_ = 0, e_ = 0;
            int64_t j = 0;
            do {
                double first = z[j][l], second = z[j][l + HALF];
                a += M_0[j] * first, a_ += M_0[j] * second;
                b += M_1[j] * first, b_ += M_1[j] * second;
                c += M_2[j] * first, c_ += M_2[j] * second;
                e += M_3[j] * first, e_ += M_3[j] * second;
            } while (++j < d);
            out[i][l] += a, out[i][l + HALF] += a_;
            out[i + 1][l] += b, out[i + 1][l + HALF] += b_;
            out[i + 2][l] += c, out[i + 2][l + HALF] += c_;
            out[i + 3][l] += e, out[i + 3][l + HALF] += e_;
        }
    }
    for (; i < n; i++)
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            double a = 0;
            int64_t j = 0;
            do a += M[i * d + j] * z[j][l];
            while (++j < d);
            out[i][l] += a;
        }
}

/* out += (M + e N) z with a sign e for every lane: two rows of M and of N and two lanes at a time, eight sums again.
   If `wanted`, which is a constant of every call, `product` becomes (M + e N) z. */
INLINE void add_signed_product(row *restrict out, const double *restrict M, const double *restrict N,
                               const double *restrict e, int64_t n, int64_t d, const row *restrict z,
                               row *restrict product, int wanted)
{
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        const double *M_0 = M + i * d, *M_1 = M_0 + d, *N_0 = N + i * d, *N_1 = N_0 + d;
#pragma omp simd
        for (int l = 0; l < HALF; l++) {
            double a = 0, b = 0, p = 0, q = 0, a_ = 0, b_ = 0, p_ = 0, q_ = 0;
            int64_t j = 0;
            do {
                double first = z[j][l], second = z[j][l + HALF];
                a += M_0[j] * first, a_ += M_0[j] * second;
                b += M_1[j] * first, b_ += M_1[j] * second;
                p += N_0[j] * first, p_ += N_0[j] * second;
                q += N_1[j] * first, q_ += N_1[j] * second;
            } while (++j < d);
            a += e[l] * p, a_ += e[l + HALF] * p_;
            b += e[l] * q, b_ += e[l + HALF] * q_;
            out[i][l] += a, out[i][l + HALF] += a_;
            out[i + 1][l] += b, out[i + 1][l + HALF] += b_;
            if (wanted) {
                product[i][l] = a, product[i][l + HALF] = a_;
                product[i + 1][l] = b, product[i + 1][l + HALF] = b_;
            }
        }
    }
    for (; i < n; i++)
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            double a = 0, p = 0;
            int64_t j = 0;
            do {
                a += M[i * d + j] * z[j][l];
                p += N[i * d + j] * z[j][l];
            } while (++j < d);
            a += e[l] * p;
            out[i][l] += a;
            if (wanted) product[i][l] = a;
        }
}

/* ---- one step of one device ---- */

/* The point at which a sample is taken: z, or z - (1 - w) z' if the variance is reduced. */
static const row *combined(row *restrict out, const row *z, const row *previous, double keep, int64_t d,
                           int64_t variance_reduced)
{
    if (!variance_reduced) return z;
    for (int64_t i = 0; i < d; i++)
        for (int l = 0; l < LANES; l++) out[i][l] = z[i][l] - keep * previous[i][l];
    return (const row *)out;
}

/* h, its constants and noise times `weight`. */
static void hypergradient(const struct world *w, int64_t Q, double weight, const row *x, const row *y,
                          struct work *s, struct xoshiro *g)
{
    int64_t d_x = w->d_x, d_y = w->d_y;
    noisy_vector(s->r, w->of_y, weight, w->s_y, d_y, g);
    add_product(s->r, w->D, d_y, d_y, y);
    memcpy(s->total, s->r, d_y * sizeof(row));
    for (int64_t q = 0; q < Q; q++) {
        noisy(*s->e, 0.0, 1.0, g);
        add_signed_product(s->total, w->factor, w->factor_noise, *s->e, d_y, d_y, (const row *)s->r, s->r_next, 1);
        row *swapped = s->r;
        s->r = s->r_next;
        s->r_next = swapped;
    }
    noisy_vector(s->h, w->of_x, weight, w->s_x, d_x, g);
    add_product(s->h, w->P, d_x, d_x, x);
    noisy(*s->e, 0.0, 1.0, g);
    add_signed_product(s->h, w->B_transposed, w->F_transposed, *s->e, d_x, d_y, (const row *)s->total, NULL, 0);
}

/* The sampled grad_y g, its constants and noise times `weight`. */
static void lower_gradient(const struct world *w, double weight, const row *x, const row *y, struct work *s,
                           struct xoshiro *g)
{
    noisy_vector(s->g, w->of_g, weight, w->s_g, w->d_y, g);
    noisy(*s->e, 0.0, 1.0, g);
    add_signed_product(s->g, w->A, w->E, *s->e, w->d_y, w->d_y, y, NULL, 0);
    noisy(*s->e, 0.0, 1.0, g);
    add_signed_product(s->g, w->B, w->F, *s->e, w->d_y, w->d_x, x, NULL, 0);
}

/* u <- keep u + gain h, then z <- z - rate u; the point before is kept where it will be needed. */
static void move(row *restrict z, row *restrict u, row *restrict previous, const row *restrict h, double keep,
                 double gain, double rate, int64_t d)
{
    for (int64_t i = 0; i < d; i++)
        for (int l = 0; l < LANES; l++) {
            double momentum = keep * u[i][l] + gain * h[i][l];
            if (previous) previous[i][l] = z[i][l];
            u[i][l] = momentum;
            z[i][l] -= rate * momentum;
        }
}

static void step(const struct world *w, const struct solver *a, int64_t t, struct device *k, struct work *s,
                 struct xoshiro *g)
{
    int64_t reduced = a->variance_reduced;
    double power = reduced ? a->eta * a->eta : a->eta;
    double w_u = t ? a->alpha * power : 1.0, w_v = t ? a->beta * power : 1.0;
    const row *x = combined(s->x, k->x, k->x_previous, 1 - w_u, w->d_x, reduced);
    const row *y = combined(s->y, k->y, k->y_previous, 1 - w_u, w->d_y, reduced);
    hypergradient(w, a->Q, reduced ? w_u : 1.0, x, y, s, g);
    if (w_v != w_u) {
        x = combined(s->x, k->x, k->x_previous, 1 - w_v, w->d_x, reduced);
        y = combined(s->y, k->y, k->y_previous, 1 - w_v, w->d_y, reduced);
    }
    lower_gradient(w, reduced ? w_v : 1.0, x, y, s, g);
    move(k->x, k->u, reduced ? k->x_previous : NULL, (const row *)s->h, 1 - w_u, reduced ? 1.0 : w_u,
         a->rho_1 * a->eta, w->d_x);
    move(k->y, k->v, reduced ? k->y_previous : NULL, (const row *)s->g, 1 - w_v, reduced ? 1.0 : w_v,
         a->rho_2 * a->eta, w->d_y);
}

/* ---- all devices ---- */

/* bar = the mean of one field over devices; the drift of each lane from it is added up, where it is wanted. */
static void mean(row *restrict bar, struct device *devices, size_t field, int64_t K, int64_t d, double *drift)
{
    for (int64_t i = 0; i < d; i++) {
        row sum = {0};
        for (int64_t k = 0; k < K; k++) {
            const double *z = (*(row **)((char *)&devices[k] + field))[i];
            for (int l = 0; l < LANES; l++) sum[l] += z[l];
        }
        for (int l = 0; l < LANES; l++) bar[i][l] = sum[l] * (1.0 / K);
        for (int64_t k = 0; drift && k < K; k++) {
            const double *z = (*(row **)((char *)&devices[k] + field))[i];
            for (int l = 0; l < LANES; l++) drift[l] += (z[l] - bar[i][l]) * (z[l] - bar[i][l]) * (1.0 / K);
        }
    }
}

static void average(struct device *devices, size_t field, int64_t K, int64_t d, row *bar)
{
    mean(bar, devices, field, K, d, NULL);
    for (int64_t k = 0; k < K; k++) memcpy(*(row **)((char *)&devices[k] + field), bar, d * sizeof(row));
}

static void add_square(double *restrict out, const row *restrict z, int64_t d)
{
    for (int64_t i = 0; i < d; i++)
        for (int l = 0; l < LANES; l++) out[l] += z[i][l] * z[i][l];
}

/* gradient, tracking, drift_x, drift_y of every lane, added to the totals. */
static void measure(const struct world *w, struct device *devices, int64_t K, struct work *s, row *total)
{
    mean(s->x_bar, devices, offsetof(struct device, x), K, w->d_x, total[2]);
    mean(s->y_bar, devices, offsetof(struct device, y), K, w->d_y, total[3]);
    for (int64_t i = 0; i < w->d_x; i++)
        for (int l = 0; l < LANES; l++) s->h[i][l] = w->gradient[i];
    add_product(s->h, w->hessian, w->d_x, w->d_x, (const row *)s->x_bar);
    add_square(total[0], (const row *)s->h, w->d_x);
    for (int64_t i = 0; i < w->d_y; i++)
        for (int l = 0; l < LANES; l++) s->g[i][l] = w->intercept[i] - s->y_bar[i][l];
    add_product(s->g, w->slope, w->d_y, w->d_x, (const row *)s->x_bar);
    add_square(total[1], (const row *)s->g, w->d_y);
}

static void run_block(const struct world *w, const struct solver *a, int64_t K, int64_t T, struct device *devices,
                      struct work *s, struct xoshiro *g, row *total)
{
    for (int64_t t = 0; t < T; t++) {
        measure(w, devices, K, s, total);
        for (int64_t k = 0; k < K; k++) step(w, a, t, &devices[k], s, g);
        if ((t + 1) % a->p == 0 && K > 1) {
            average(devices, offsetof(struct device, x), K, w->d_x, s->x_bar);
            average(devices, offsetof(struct device, y), K, w->d_y, s->y_bar);
            average(devices, offsetof(struct device, u), K, w->d_x, s->x_bar);
            average(devices, offsetof(struct device, v), K, w->d_y, s->y_bar);
        }
    }
}

static row *taken(row **memory, int64_t rows)
{
    row *piece = *memory;
    *memory += rows;
    return piece;
}

static void start(row *z, const double *z0, int64_t d)
{
    for (int64_t i = 0; i < d; i++)
        for (int l = 0; l < LANES; l++) z[i][l] = z0[i];
}

/* out [4][blocks * 64]: the measures of each replicate, averaged over t < T. Returns 0, or 1 if there is no memory. */
int run(const struct world *w, const struct solver *a, int64_t K, int64_t T, const double *x0, const double *y0,
        int64_t blocks, uint64_t seed, double *out)
{
    int64_t d_x = w->d_x, d_y = w->d_y, state = K * 3 * (d_x + d_y), rest = 3 * d_x + 6 * d_y + 1 + 4;
    row *memory = aligned_alloc(ALIGNMENT, (state + rest) * sizeof(row)), *from = memory;
    struct device *devices = malloc(K * sizeof *devices);
    if (!memory || !devices) {
        free(memory);
        free(devices);
        return 1;
    }
    struct work s = {taken(&from, d_x), taken(&from, d_y), taken(&from, d_y), taken(&from, d_y), taken(&from, d_y),
                     taken(&from, d_x), taken(&from, d_y), taken(&from, d_x), taken(&from, d_y), taken(&from, 1)};
    row *total = taken(&from, 4);
    for (int64_t k = 0; k < K; k++)
        devices[k] = (struct device){taken(&from, d_x), taken(&from, d_y), taken(&from, d_x),
                                     taken(&from, d_y), taken(&from, d_x), taken(&from, d_y)};
    for (int64_t block = 0; block < blocks; block++) {
        struct xoshiro g = seeded(seed, block);
        memset(memory, 0, (state + rest) * sizeof(row));
        for (int64_t k = 0; k < K; k++) {
            start(devices[k].x, x0, d_x);
            start(devices[k].y, y0, d_y);
        }
        run_block(w, a, K, T, devices, &s, &g, total);
        for (int m = 0; m < 4; m++)
            for (int l = 0; l < LANES; l++) out[(m * blocks + block) * LANES + l] = total[m][l] / T;
    }
    free(memory);
    free(devices);
    return 0;
}
