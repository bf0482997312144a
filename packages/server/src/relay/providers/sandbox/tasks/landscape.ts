import { writePng } from '../png.ts';
import { chance } from './seed.ts';

type Colour = readonly [red: number, green: number, blue: number];

/** Colours of an hour of the day: the sky above and at the horizon, the sun, the hills far and near. */
interface Hour {
  above: Colour;
  horizon: Colour;
  sun: Colour;
  far: Colour;
  near: Colour;
}
const hours: readonly Hour[] = [
  {
    above: [38, 50, 108],
    horizon: [247, 163, 122],
    sun: [255, 228, 176],
    far: [124, 92, 128],
    near: [38, 30, 62],
  },
  {
    above: [92, 158, 214],
    horizon: [224, 240, 246],
    sun: [255, 250, 224],
    far: [128, 168, 170],
    near: [38, 84, 70],
  },
  {
    above: [18, 24, 62],
    horizon: [76, 92, 152],
    sun: [236, 240, 255],
    far: [52, 66, 112],
    near: [12, 16, 38],
  },
  {
    above: [214, 112, 92],
    horizon: [255, 214, 150],
    sun: [255, 246, 214],
    far: [186, 108, 92],
    near: [84, 42, 52],
  },
  {
    above: [70, 142, 150],
    horizon: [252, 226, 184],
    sun: [255, 196, 128],
    far: [116, 150, 132],
    near: [34, 66, 66],
  },
];

/** Colours of one landscape; four of them fit into one palette. */
const colours = 64;
const skyColours = 48;
const sunColour = skyColours;
const firstHill = skyColours + 1;
const hills = 4;

const mixed = (one: Colour, other: Colour, share: number): number[] =>
  one.map((part, at) => Math.round(part + ((other[at] ?? part) - part) * share));

function paletteOf(seed: number): number[] {
  const hour = hours[Math.floor(chance(seed, 0) * hours.length)] ?? hours[0]!;
  const sky = Array.from({ length: skyColours }, (_, at) =>
    mixed(hour.above, hour.horizon, at / (skyColours - 1)),
  );
  const ground = Array.from({ length: hills }, (_, at) => mixed(hour.far, hour.near, at / (hills - 1)));
  const used = [...sky, [...hour.sun], ...ground].flat();
  return [...used, ...Array.from({ length: colours * 3 - used.length }, () => 0)];
}

/** Height of each hill in each column, from the top, as a share of the side. */
function skyline(seed: number, columns: number, block: number): readonly Float64Array[] {
  return Array.from({ length: hills }, (_, hill) => {
    const [length, shift, long] = [4, 5, 6].map((n) => chance(seed, hill * 8 + n)) as [
      number,
      number,
      number,
    ];
    return Float64Array.from({ length: columns }, (_column, at) => {
      const x = (Math.floor(at / block) * block) / columns;
      const wave = 0.05 * Math.sin((3 + 5 * length) * x + 7 * shift);
      return 0.5 + hill * 0.13 + wave + 0.025 * Math.sin((11 + 9 * long) * x + 5 * long);
    });
  });
}

/** The colour of a point of a landscape with `side` points on each side. */
function painter(seed: number, side: number, block: number): (column: number, row: number) => number {
  const sun = { x: 0.2 + 0.6 * chance(seed, 1), y: 0.2 + 0.25 * chance(seed, 2) };
  const size = 0.06 + 0.05 * chance(seed, 3);
  const heights = skyline(seed, side, block);
  return (column, row) => {
    const x = (Math.floor(column / block) * block) / side;
    const y = (Math.floor(row / block) * block) / side;
    for (let hill = hills - 1; hill >= 0; hill -= 1) if (y > heights[hill]![column]!) return firstHill + hill;
    if ((x - sun.x) ** 2 + (y - sun.y) ** 2 < size ** 2) return sunColour;
    return Math.min(skyColours - 1, Math.floor(y * 1.5 * skyColours));
  };
}

/**
 * A PNG of hills under a sky: one seed fills it, four stand beside each other in two rows. `block` points are painted as
 * one, as a preview is.
 */
export function paint(seeds: readonly number[], side: number, block = 1): Buffer {
  const inRow = seeds.length > 1 ? 2 : 1;
  const part = side / inRow;
  const painters = seeds.map((seed) => painter(seed, part, block));
  const rows = Buffer.alloc((side + 1) * side);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const which = Math.floor(y / part) * inRow + Math.floor(x / part);
      rows[y * (side + 1) + 1 + x] = which * colours + painters[which]!(x % part, y % part);
    }
  }
  const palette = Buffer.from(seeds.flatMap(paletteOf));
  return writePng({ width: side, height: side, bits: 8, palette, rows });
}

/** The same as a data URL, because nothing serves the sandbox's files. */
export const paintedUrl = (...picture: Parameters<typeof paint>): string =>
  `data:image/png;base64,${paint(...picture).toString('base64')}`;
