/** A session as the choice sees it: its calls stick to one channel, and to one of several keys. 32 bits. */
export const hashSession = (session: string): number => hashOf(session, 0x811c9dc5);

/**
 * Sessions share this many slots, and all sessions of a slot stick to the same channel. So one ranking of the channels
 * serves many sessions, and thousands of channels still have some slots each.
 */
const slotBits = 14;
export const slotCount = 1 << slotBits;
export const slotOf = (sessionHash: number): number => sessionHash >>> (32 - slotBits);

/**
 * Index of the candidate that a slot, or the hash of a session, sticks to. Each has a chance by its share, and a new or
 * removed candidate does not move other sessions (rendezvous hashing). The result is the same in every process and needs
 * no memory of sessions.
 */
export function stuckPlace(
  key: number,
  names: readonly (number | string)[],
  shareAt: (place: number) => number,
): number {
  const seed = mix(key + 1);
  let best = -1;
  let bestScore = -Infinity;
  for (const [place, name] of names.entries()) {
    const hash = typeof name === 'number' ? mix(Math.imul(name, 0x9e3779b1) ^ seed) : hashOf(name, seed);
    // Above 0 and below 1.
    const chance = (hash + 0.5) / 2 ** 32;
    const score = Math.log(chance) / shareAt(place);
    if (score <= bestScore) continue;
    best = place;
    bestScore = score;
  }
  return best;
}

/** FNV-1a over UTF-16 units; mixed, because the hashes of short names are close together. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** The final mixing of MurmurHash3: 32 bits. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
