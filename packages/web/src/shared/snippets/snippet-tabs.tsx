import { Tabs } from '@mantine/core';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../copy/copy-button.tsx';
import { snippets, type SnippetValues } from './snippets.ts';

const text = texts({ code: { zh: '{name} 示例代码', en: 'Code for {name}' } });

/** Snippets for the usual clients, this site's address and the key filled in. */
export function SnippetTabs(values: SnippetValues) {
  const t = useTranslate();
  const shown = snippets
    .map(({ id, name, code }) => ({
      id,
      name: typeof name === 'string' ? name : t(name),
      code: code(values),
    }))
    .filter(({ code }) => code !== '');
  return (
    <Tabs defaultValue={snippets[0]?.id ?? null} keepMounted={false}>
      <Tabs.List mb="sm">
        {shown.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map(({ id, name, code }) => (
        <Tabs.Panel key={id} value={id}>
          <CodeBlock code={code} label={t(text.code, { name })} action={<CopyButton value={code} />} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
