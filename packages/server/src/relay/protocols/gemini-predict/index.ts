import { imageFactor, usageOf } from '@tollgate/contract';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import {
  imagesIn,
  maxImages,
  readGeminiError,
  readGeminiFailure,
  tokensPerImage,
  withheldImages,
  writeGeminiError,
  writeGeminiStreamError,
} from '../../families/google/index.ts';
import {
  estimateInput,
  inputFacts,
  refuser,
  requiredText,
  wholeNumber,
} from '../../families/openai/index.ts';
import { type AnswerWire, CountImages, JsonPass } from '../../streams/index.ts';
import type {
  AnswerEnd,
  AnswerPipe,
  AnswerSetup,
  BodySizes,
  CallerProtocol,
  RequestFacts,
} from '../../types/index.ts';

const no = refuser('invalid_image_request');

/** One instance with a prompt. Google makes four images if the caller names no number. */
function readFacts(body: JsonObject, sizes: BodySizes): RequestFacts {
  const model = textOf(body.model);
  if (model === '') return no('path_without_model');
  const instances = objectsIn(body.instances);
  if (instances.length !== 1) return no('field_not_specified', { field: 'instances' });
  requiredText(instances[0]!, 'prompt', no);
  const bounds = { least: 1, most: maxImages, fallback: maxImages };
  const calls = wholeNumber(objectOf(body.parameters), 'sampleCount', bounds, no);
  const inputTokens = calls * tokensPerImage;
  return {
    ...inputFacts(model, Math.max(estimateInput(sizes), inputTokens)),
    choices: calls,
    media: { answer: 'images', calls, factor: imageFactor(model, '', ''), inputTokens },
  };
}

/** Counts the images, and each as so many input tokens as one for a caller of OpenAI's protocol. */
class CountPredictions extends CountImages {
  protected override changeEnd(end: AnswerEnd): AnswerEnd {
    const counted = super.changeEnd(end);
    const { images = 0 } = counted;
    return images === 0 ? counted : { ...counted, usage: usageOf({ input: images * tokensPerImage }) };
  }
}

function openPipe({ secrets, contentType, rewrite }: AnswerSetup): AnswerPipe {
  const wire: AnswerWire = {
    isAnswer: (body) => imagesIn(body).length > 0,
    hasContent: () => true,
    readFailure(body) {
      const withheld = withheldImages(body);
      return withheld ? readGeminiFailure(withheld, secrets, 400) : readGeminiFailure(body, secrets);
    },
    readText: () => undefined,
    hasText: false,
  };
  const whole = new JsonPass(contentType, { wire, readUsage: () => undefined, rewrite });
  return new CountPredictions(whole, ['bytesBase64Encoded']);
}

/** Google's `:predict` of Imagen: images pass unchanged. */
export const geminiPredict: CallerProtocol = {
  id: 'gemini-predict',
  inbound: {
    id: 'gemini-predict',
    readFacts,
    writeError: writeGeminiError,
    writeStreamError: writeGeminiStreamError,
    ping: Buffer.from(': PING\n\n'),
  },
  outbound: { id: 'gemini-predict', openPipe, readError: readGeminiError },
};
