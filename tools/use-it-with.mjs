// Makes docs/use-it-with.md and its Chinese page from the setups that the console shows. `node tools/use-it-with.mjs` writes
// them; check-shape compares them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { product } from '../packages/contract/src/product.ts';
import { setups, textOfPart } from '../packages/web/src/shared/snippets/setups.ts';

const values = { origin: 'https://gate.example', apiKey: 'sk-…', model: 'MODEL' };

const words = {
  en: {
    head: `# Use it with

<!-- Written by tools/use-it-with.mjs from packages/web/src/shared/snippets/setups.ts. Change it there. -->

Any program that takes an address and a key works with ${product.name}. The exact setups are below, for a site at \`https://gate.example\`. The
console fills in the address, the key and a model of your site: *Keys → Use → Agents & apps*. \`MODEL\` is a name of \`GET /v1/models\`.

For a program without a section: OpenAI's protocol takes the address with \`/v1\` at its end, those of Anthropic and Google take it without.
The suite runs the agents below with these setups ([protocols](protocols.md#suites-and-clients)).
`,
    agent: 'Agents',
    application: 'Applications',
    library: 'Libraries',
    fields: '| Field | Value |',
    file: (path) => `In \`${path}\`:`,
  },
  zh: {
    head: `# 配合各种程序使用

<!-- 由 tools/use-it-with.mjs 根据 packages/web/src/shared/snippets/setups.ts 生成，请在那里修改。 -->

凡是可以填写地址和密钥的程序，都能配合 ${product.name} 使用。下面是站点位于 \`https://gate.example\` 时的准确配置。控制台会填好本站的地址、密钥和模型：
*令牌 → 使用 → 智能体与应用*。\`MODEL\` 是 \`GET /v1/models\` 中的一个名称。

没有列出的程序：OpenAI 协议的地址以 \`/v1\` 结尾，Anthropic 和 Google 协议的地址不带它。测试套件用这些配置运行下面的智能体（[协议](protocols.md#suites-and-clients)）。
`,
    agent: '智能体',
    application: '应用',
    library: '客户端库',
    fields: '| 设置项 | 值 |',
    file: (path) => `写入 \`${path}\`：`,
  },
};

const fence = (language, code) => `\`\`\`${language}\n${code}\`\`\`\n`;

/** The parts of a setup; variables and the commands after them are one block. */
function partsOf(parts, { fields, file }) {
  const blocks = [];
  for (const part of parts) {
    const code = textOfPart(part);
    const last = blocks.at(-1);
    if (part.kind === 'file')
      blocks.push({ lead: file(part.path), language: part.path.split('.').at(-1), code });
    else if (part.kind === 'code') blocks.push({ language: part.language, code });
    else if (part.kind === 'fields')
      blocks.push({
        rows: Object.entries(part.values).map(([name, value]) => `| ${name} | \`${value}\` |\n`),
        head: `${fields}\n| --- | --- |\n`,
      });
    else if (last?.language === 'sh') last.code += code;
    else blocks.push({ language: 'sh', code });
  }
  return blocks.map(({ lead, language, code, head, rows }) => {
    if (rows) return head + rows.join('');
    return (lead ? `${lead}\n\n` : '') + fence(language, code);
  });
}

/** The exact text of the page in a language. */
export function useItWithPage(language) {
  const own = words[language];
  const sections = ['agent', 'application', 'library'].flatMap((kind) => [
    `## ${own[kind]}\n`,
    ...setups
      .filter((setup) => setup.kind === kind)
      .flatMap(({ name, note, parts }) => [
        `### ${name}\n`,
        ...(note ? [`${note[language]}\n`] : []),
        ...partsOf(parts(values), own),
      ]),
  ]);
  return [own.head, ...sections].join('\n');
}

/** Language → file of the page. */
export const useItWithFiles = { en: 'docs/use-it-with.md', zh: 'docs/zh/use-it-with.md' };

if (process.argv[1] === import.meta.filename) {
  for (const [language, file] of Object.entries(useItWithFiles))
    writeFileSync(join(import.meta.dirname, '..', file), useItWithPage(language));
}
