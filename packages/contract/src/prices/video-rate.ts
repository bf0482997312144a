/** How much more or less a second of video costs at another size or quality. */
export interface VideoRate {
  /** Pixels of the shorter side → factor. A size between two costs what the larger one costs. */
  lines?: Readonly<Record<number, number>>;
  /** Quality → factor; others count as 1. */
  qualities?: Readonly<Record<string, number>>;
}

/**
 * The families of models whose videos are charged by the second; the first match counts. A model of none of them costs the
 * same for each video. Those of families without a default price stand for how their vendors graded sizes and
 * qualities, so that an operator sets one price for each model.
 */
const rules: readonly (VideoRate & { name: RegExp })[] = [
  { name: /^sandbox-video/, lines: { 720: 1, 1080: 2 } },
  { name: /^sora-2-pro/, lines: { 720: 1, 1024: 5 / 3, 1080: 7 / 3 } },
  { name: /^sora-/, lines: { 720: 1, 1080: 3 } },
  { name: /^veo-2/ },
  { name: /^veo-.*fast/, lines: { 720: 1, 1080: 1.2, 2160: 3 } },
  { name: /^veo-/, lines: { 1080: 1, 2160: 1.5 } },
  { name: /^kling-v1$/, qualities: { pro: 3.5 } },
  { name: /^kling-.*master/ },
  { name: /^kling-v2-[56]/, qualities: { pro: 5 / 3, 'std-sound': 2, 'pro-sound': 10 / 3 } },
  { name: /^kling-/, qualities: { pro: 1.75, 'std-sound': 2, 'pro-sound': 3.5 } },
  { name: /^jimeng_/ },
  { name: /^viduq1/ },
  { name: /^viduq3-pro/, lines: { 540: 7 / 15, 720: 1, 1080: 16 / 15 } },
  { name: /^vidu/, lines: { 360: 0.5, 540: 0.6, 720: 1, 1080: 2.5 } },
  { name: /seedance-2-5/, lines: { 480: 0.4448, 720: 1, 1080: 2.475 } },
  { name: /seedance-2-0/, lines: { 480: 0.466, 720: 1, 1080: 2.4946, 2160: 5.087 } },
  { name: /seedance/, lines: { 480: 0.47, 720: 1, 1080: 2.38 } },
  { name: /^(?:T2V|I2V|S2V)-01/ },
  { name: /^MiniMax-Hailuo/, lines: { 512: 0.36, 768: 1, 1080: 1.75 } },
  { name: /^wan2\.2-.*flash/, lines: { 480: 1, 720: 2, 1080: 4.8 } },
  { name: /^wan2\.2-/, lines: { 480: 1, 720: 2, 1080: 5 } },
  { name: /^wanx?2/, lines: { 480: 0.5, 720: 1, 1080: 1.5 } },
  { name: /^grok-imagine-video/, lines: { 480: 1, 720: 1.4, 1080: 5 } },
  { name: /\/kling-/, lines: { 720: 1, 1080: 1.8 } },
];

/** The rate of a model that is charged by the second; undefined for one that costs the same for each video. */
export const videoRateOf = (model: string): VideoRate | undefined =>
  rules.find(({ name }) => name.test(model));
