/**
 * Stands in answers where a secret is stored that nobody reads again. Sent back, it keeps the secret, as long as the
 * address that the secret goes to stays the same.
 */
export const secretMask = '••••';
