/**
 * Index of the candidate that a session sticks to. Each has a chance by its share, and a new or removed candidate does
 * not move other sessions (rendezvous hashing). The result is the same in every process and needs no memory of
 * sessions.
 */
export function stuckPlace(
  session: string,
  names: readonly (number | string)[],
  shareAt: (place: number) => number,
) {
  const seed = hashOf(session, 0x811c9dc5);
  let best = -1;
  let bestScore = -Infinity;
  for (const [place, name] of names.entries()) {
    // Above 0 and below 1.
    const chance = (hashOf(String(name), seed) + 0.5) / 2 ** 32;
    const score = Math.log(chance) / shareAt(place);
    if (score <= bestScore) continue;
    best = place;
    bestScore = score;
  }
  return best;
}

/**
 * FNV-1a over UTF-16 units, with the final mixing of MurmurHash3; without it, hashes of short names are close together.
 */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
