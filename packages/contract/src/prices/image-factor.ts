/** Factor of an image's size on the per-call price (docs/compatibility.md#charge); other sizes count as 1024x1024. */
const sizeFactors: Readonly<Record<string, number>> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1024': 1,
  '1024x1792': 2,
  '1792x1024': 2,
};

/**
 * Factor on the price of each image made (docs/compatibility.md#charge): its size, and for dall-e-3 in `hd` quality
 * twice as much again, or half as much again for the two oblong sizes. Small images are cheaper with the models that
 * make them alone: others take no notice of such a size, and to ask for one would buy a whole image for less.
 */
export function imageFactor(model: string, size: string, quality: string): number {
  const named = Object.hasOwn(sizeFactors, size) ? (sizeFactors[size] ?? 1) : 1;
  const bySize = model.startsWith('dall-e') ? named : Math.max(1, named);
  if (model !== 'dall-e-3' || quality !== 'hd') return bySize;
  return bySize * (bySize === 2 ? 1.5 : 2);
}
