import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../packages/contract/src/words.ts';
import { writeDocument } from '../packages/server/src/http/openapi/document.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

/** The OpenAPI document, as a site of this version answers it. */
export const openApi = (language: Language) => writeDocument(language, version);

const words = {
  en: {
    title: 'API reference',
    about: (file: string) =>
      `Every call of relay and console, from the [OpenAPI document](${file}) of this version. The document has fields, examples ` +
      'and errors; a running site shows it at `/docs/api`.',
    columns: '| Call | Does | Access |\n| --- | --- | --- |',
  },
  zh: {
    title: 'API 参考',
    about: (file: string) =>
      `中继与控制台的全部调用，取自本版本的 [OpenAPI 文档](${file})。字段、示例与错误见该文档；运行中的站点在 \`/docs/api\` 显示它。`,
    columns: '| 调用 | 作用 | 权限 |\n| --- | --- | --- |',
  },
} as const;

interface Call {
  tags: string[];
  summary: string;
  'x-access': string;
}

/** The reference as a page: one table of calls for each part of the API. */
export function referenceText(language: Language): string {
  const { tags, paths } = JSON.parse(JSON.stringify(openApi(language))) as {
    tags: { name: string; description: string }[];
    paths: Record<string, Record<string, Call>>;
  };
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ ...call, name: `${method.toUpperCase()} ${path}` })),
  );
  const { title, about, columns } = words[language];
  const parts = tags.map(({ name, description }) => {
    const rows = calls
      .filter((call) => call.tags.includes(name))
      .map((call) => `| \`${call.name}\` | ${call.summary.replaceAll('|', '\\|')} | ${call['x-access']} |`);
    return `## ${description}\n\n${columns}\n${rows.join('\n')}\n`;
  });
  return [`# ${title}\n`, `${about('./openapi.json')}\n`, ...parts].join('\n');
}
