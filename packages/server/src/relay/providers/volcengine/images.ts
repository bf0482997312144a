import { editAsJson, imagesAsked } from '../../provider-kit/index.ts';
import { objectOf } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import { type Endpoint, refuse } from '../../types/index.ts';

/** Images of a series, at most. */
const maker = { name: 'VolcEngine', most: 15, edits: true };

/** OpenAI's fields that Seedream has no words for. */
const unknown = ['n', 'quality', 'style', 'background', 'moderation', 'user', 'input_fidelity'];

/** Seedream: new images and edits are one call, and an edit names its images in JSON. */
export const volcengineImages: Endpoint = {
  protocol: 'openai-images',
  isDialect: true,
  url: (channel) => joinUrl(channel, '/api/v3/images/generations'),
  adapt(body, context) {
    const n = imagesAsked(body, context, maker);
    // The model decides how many images a series has: a request for one says so, and `n` is the most that is charged.
    if (body.sequential_image_generation === 'auto') {
      const options = objectOf(body.sequential_image_generation_options);
      body.sequential_image_generation_options = { ...options, max_images: n };
    } else if (n > 1) {
      throw refuse('images_as_series_alone', { provider: 'VolcEngine' });
    }
    for (const key of unknown) delete body[key];
    return undefined;
  },
  write: (draft) => editAsJson(draft, (images) => ({ image: images.length === 1 ? images[0] : images })),
};
