import type { RoutingPolicy } from '@tollgate/contract';
import type { Channel } from '../../../relay/types/index.ts';

/** Name → policy: a model, the beginning of its name before a star, or `group:` and a group (option RoutingPolicies). */
export type PolicyRules = Readonly<Record<string, RoutingPolicy>>;

const groupPrefix = 'group:';

/**
 * Answers the policy of a group and model by the present rules: that of the model, of the longest beginning of its name, of the
 * group, or of all (`*`).
 */
export function createPolicies(rules: () => PolicyRules): (group: string, model: string) => RoutingPolicy {
  let read: PolicyRules | undefined;
  let byName: ReadonlyMap<string, RoutingPolicy> = new Map();
  let beginnings: [start: string, policy: RoutingPolicy][] = [];
  return (group, model) => {
    const present = rules();
    if (present !== read) {
      read = present;
      byName = new Map(Object.entries(present));
      beginnings = [...byName]
        .flatMap<[string, RoutingPolicy]>(([name, policy]) =>
          name.length > 1 && name.endsWith('*') ? [[name.slice(0, -1), policy]] : [],
        )
        .toSorted(([a], [b]) => b.length - a.length);
    }
    if (byName.size === 0) return 'random';
    return (
      byName.get(model) ??
      beginnings.find(([start]) => model.startsWith(start))?.[1] ??
      byName.get(groupPrefix + group) ??
      byName.get('*') ??
      'random'
    );
  };
}

/** How busy and how quick channels are, as this process sees it. */
export class Paces {
  private readonly running = new Map<number, number>();
  private readonly waits = new Map<number, number>();

  begins({ id }: Channel): void {
    this.running.set(id, (this.running.get(id) ?? 0) + 1);
  }

  ends({ id }: Channel): void {
    const left = (this.running.get(id) ?? 1) - 1;
    if (left > 0) this.running.set(id, left);
    else this.running.delete(id);
  }

  /** Calls that the channel serves now. */
  runningOn = ({ id }: Channel): number => this.running.get(id) ?? 0;

  /** The first byte of an answer came after so many ms: the average moves a fifth of the way. */
  answeredAfter({ id }: Channel, ms: number): void {
    const before = this.waits.get(id);
    this.waits.set(id, before === undefined ? ms : before + (ms - before) / 5);
  }

  /** The average wait for the first byte, in ms; 0 while none is known, so that a new channel is tried. */
  waitFor = ({ id }: Channel): number => this.waits.get(id) ?? 0;

  keepOnly(exists: (id: number) => boolean): void {
    for (const id of this.waits.keys()) if (!exists(id)) this.waits.delete(id);
  }
}

/**
 * The place of the candidate that a session sticks to: each has a chance by its share, and where one comes or goes no session of
 * another moves (rendezvous hashing). The same in every process, without a memory of sessions.
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

/** FNV-1a over UTF-16 units, and the last mixing of MurmurHash3, without which short names lie close together. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
