import type { JsonObject } from '../../../../lib/json.ts';

const button = (customId: string, emoji: string, label = ''): JsonObject => ({
  customId,
  emoji,
  label,
  type: 2,
  style: 2,
});

const quarters = [1, 2, 3, 4];

/** The buttons below four pictures: each of them larger, each of them varied, and all of them anew. */
export const gridButtons = (name: string): JsonObject[] => [
  ...quarters.map((index) => button(`MJ::JOB::upsample::${index}::${name}`, '', `U${index}`)),
  button(`MJ::JOB::reroll::0::${name}::SOLO`, '🔄'),
  ...quarters.map((index) => button(`MJ::JOB::variation::${index}::${name}`, '', `V${index}`)),
];

/** The buttons below one picture. */
export const singleButtons = (name: string): JsonObject[] => [
  button(`MJ::JOB::low_variation::1::${name}::SOLO`, '🪄', 'Vary (Subtle)'),
  button(`MJ::JOB::high_variation::1::${name}::SOLO`, '🪄', 'Vary (Strong)'),
  button(`MJ::Inpaint::1::${name}::SOLO`, '🖌️', 'Vary (Region)'),
  button(`MJ::Outpaint::50::1::${name}::SOLO`, '🔍', 'Zoom Out 2x'),
  button(`MJ::CustomZoom::${name}`, '🔍', 'Custom Zoom'),
  ...(['left', 'right', 'up', 'down'] as const).map((side) =>
    button(`MJ::JOB::pan_${side}::1::${name}::SOLO`, { left: '⬅️', right: '➡️', up: '⬆️', down: '⬇️' }[side]),
  ),
];
