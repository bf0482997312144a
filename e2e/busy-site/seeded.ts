/** Random source that is the same in every run, so that pictures of two versions can be compared. */
export interface Chance {
  /** From 0 up to 1, with 1 excluded. */
  next(): number;
  /** A whole number between two numbers, both included. */
  between(low: number, high: number): number;
  /** One of several items, by their weights. */
  pick<Item>(items: readonly { item: Item; weight: number }[]): Item;
}

/** Mulberry32 with a seed. */
export function seeded(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    pick: (items) => {
      let left = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const { item, weight } of items) if ((left -= weight) < 0) return item;
      return items.at(-1)!.item;
    },
  };
}

const vocabulary =
  'the of and to in a is that for it was on are as with they be at one have this from by hot but some what there we can out other were all your when up use word how said an each she which do their time if will way about many then them would write like so these her long make thing see him two has look more day could go come did my sound no most number who over know water than call first people may down side been now find any new work part take get place made live where after back little only'.split(
    ' ',
  );

/** A number of short words, each of which is one token in most vocabularies. */
export const wordsOf = (chance: Chance, count: number): string =>
  Array.from({ length: count }, () => vocabulary[chance.between(0, vocabulary.length - 1)]).join(' ');
