import type { FastifyInstance } from 'fastify';

/**
 * Reads bodies as the original does: JSON for any content type, forms for payment callbacks, an empty body as an
 * empty object. `__proto__` and `constructor` keys are refused (ASVS 15.3.6).
 */
export function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body);
    if (text.trim() === '') return done(null, {});
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
    if (isForm && !text.trimStart().startsWith('{')) {
      return done(null, formFields(text));
    }
    // With a callback the parser reports through `done`; it returns nothing to wait for.
    void parseJson(request, text, done);
  });
}

/**
 * The fields of a form. A repeated field keeps all its values, as in a query: a signature must not be checked over
 * one value while another one is used.
 */
function formFields(text: string): Record<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (typeof known === 'string') fields.set(name, [known, value]);
    else known.push(value);
  }
  fields.delete('__proto__');
  return Object.fromEntries(fields);
}
