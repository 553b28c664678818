"""The paper's letters as SymPy symbols. L_12 occurs in the print and is defined nowhere: it is in no table."""

from ratecert.theory.language.letters import letter, letters

K, T, p, eta, alpha, beta, rho_1, rho_2, theta, Q, B = letters("K T p eta alpha beta rho_1 rho_2 theta Q B")
mu, L_0, L_1, L_21, L_22, sigma, sigma_f, sigma_H = letters("mu L_0 L_1 L_21 L_22 sigma sigma_f sigma_H")
L_Phi, L_hat, L_tilde, G, Delta_Q = letters("L_Phi L_hat L_tilde G Delta_Q")
L_12 = letter("L_12")
Phi_gap, y_gap = letters("Phi_gap y_gap")
t, w, eps = letters("t w eps")
x, y, u, v, h, g_y, h_old, g_y_old = letters("x y u v h g_y h_old g_y_old")
