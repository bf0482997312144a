import { editAsJson } from '../../model/form-images.ts';
import { imagesAsked } from '../../model/image-wish.ts';
import { objectOf } from '../../model/json.ts';
import { joinUrl } from '../../model/openai/endpoints.ts';
import type { Endpoint } from '../../model/provider.ts';
import { refuse } from '../../model/relay-error.ts';

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
    // The model decides how many images a series has: whoever wants one says so, and `n` is the most that is charged.
    if (body.sequential_image_generation === 'auto') {
      const options = objectOf(body.sequential_image_generation_options);
      body.sequential_image_generation_options = { ...options, max_images: n };
    } else if (n > 1) {
      throw refuse(400, 'cannot_translate', 'VolcEngine makes several images as a series alone');
    }
    for (const key of unknown) delete body[key];
    return undefined;
  },
  write: (draft) => editAsJson(draft, (images) => ({ image: images.length === 1 ? images[0] : images })),
};
