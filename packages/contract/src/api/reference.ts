import { z } from 'zod';
import { route } from '../route.ts';
import { product } from '../product.ts';

/** An OpenAPI document, as far as its readers depend on its outermost shape. */
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

/** The reference of every call, for programs and for the console's page of it (Tollgate extension). */
export const referenceApi = {
  /** In the language of Accept-Language, English when it names none of ours. */
  read: route('GET', '/api/openapi.json', {
    summary: { zh: '读取接口文档（OpenAPI 3.1）', en: 'Read this reference as OpenAPI 3.1' },
    access: 'public',
    input: z.object({}),
    data: referenceData,
    bare: 'data',
  }),
};
