const suffix = '-search';

/** The model of a name that ends with `-search`, which asks for an answer from the web; undefined for any other name. */
export const cutSearch = (model: string): string | undefined =>
  model.endsWith(suffix) && model.length > suffix.length ? model.slice(0, -suffix.length) : undefined;
