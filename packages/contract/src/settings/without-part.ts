/**
 * Settings whose part of Tollgate does not exist yet. They are kept and checked, so that a copied configuration loses
 * nothing, but they have no effect: the settings page leaves them out, a switch among them counts as off whatever is
 * stored and cannot be switched on. A part that is built loses its lines here.
 */
export const settingsWithoutPart: ReadonlySet<string> = new Set([]);
