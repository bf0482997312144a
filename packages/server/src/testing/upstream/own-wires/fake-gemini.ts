import { isObject, type JsonObject, objectOf, objectsIn } from '../../../lib/json.ts';
import { type Behaviour, json, type ModelBehaviour } from '../fake-upstream-scripts.ts';

// Requirements of Gemini's newest models, and of Vertex AI, for a conversation, beyond those of every Gemini.

/** The thought signature of a model of ours with its calls, and Google's placeholder for one. */
export const geminiProof = 'c2lnbmVkIGJ5IGdlbWluaQ==';
const proofs = new Set([geminiProof, 'skip_thought_signature_validator']);

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
};

/** A failure in Google's format. */
export const googleFailure = (code: number, message: string): ModelBehaviour =>
  json({ error: { code, message, status: names[code] ?? 'UNKNOWN' } }, code);

/** Refuses calls without the thought signatures of their calls; passes all others on to `answer`. */
export const geminiThree =
  (answer: Behaviour): Behaviour =>
  (exchange) => {
    const fault = proofFault(exchange.json() as JsonObject);
    return fault === undefined ? answer(exchange) : googleFailure(400, fault)(exchange);
  };

function proofFault({ contents, generationConfig }: JsonObject): string | undefined {
  const { thinkingLevel: level, thinkingBudget: budget } = objectOf(
    objectOf(generationConfig).thinkingConfig,
  );
  if (level !== undefined && budget !== undefined)
    return 'You can only set only one of thinking budget and thinking level.';
  for (const [index, { parts }] of objectsIn(contents).entries()) {
    // The first of several parallel calls has the signature of all.
    const first = objectsIn(parts).find(({ functionCall }) => functionCall !== undefined);
    if (first === undefined) continue;
    const proof = first.thoughtSignature;
    if (proof === undefined)
      return `Function call is missing a thought_signature in functionCall parts (content ${index}).`;
    if (typeof proof !== 'string' || !proofs.has(proof)) return 'Thought signature is not valid.';
  }
  return undefined;
}

/** Refuses input unknown to Vertex AI: contents without a role, and ids of calls. Passes all others on to `answer`. */
export const onVertex =
  (answer: Behaviour): Behaviour =>
  (exchange) => {
    const fault = placeFault(exchange.json() as JsonObject);
    return fault === undefined ? answer(exchange) : googleFailure(400, fault)(exchange);
  };

function placeFault({ contents }: JsonObject): string | undefined {
  for (const { role, parts } of objectsIn(contents)) {
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
    const hasId = objectsIn(parts).some((part) =>
      [part.functionCall, part.functionResponse].some((call) => isObject(call) && call.id !== undefined),
    );
    if (hasId) return 'Invalid JSON payload received. Unknown name "id": Cannot find field.';
  }
  return undefined;
}
