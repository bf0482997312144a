import { z } from 'zod';
import { route } from '../route.ts';
import { product } from '../product.ts';

/** Top-level fields of an OpenAPI document that clients of this call use. */
export const referenceData = z.looseObject({
  openapi: z.literal('3.1.1').meta({ zh: 'OpenAPI 版本', en: 'Version of OpenAPI' }),
  info: z
    .looseObject({
      title: z.string().meta({ zh: '标题', en: 'Title', example: `${product.name}` }),
      version: z.string().meta({ zh: '版本', en: 'Version', example: 'v1.0.0' }),
    })
    .meta({ zh: '文档信息', en: 'About the document' }),
  paths: z.record(z.string(), z.unknown()).meta({ zh: '全部接口', en: 'All calls' }),
});
export type ReferenceData = z.output<typeof referenceData>;

/** Reference of all calls, for programs and for the reference page of the console (Tollgate extension). */
export const referenceApi = {
  /** Uses the language of Accept-Language, or English if none of its languages is supported. */
  read: route('GET', '/api/openapi.json', {
    summary: { zh: '读取接口文档（OpenAPI 3.1）', en: 'Read this reference as OpenAPI 3.1' },
    access: 'public',
    input: z.object({}),
    data: referenceData,
    bare: 'data',
  }),
};
