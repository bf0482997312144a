import { Box, Tabs } from '@mantine/core';
import { type Text, texts, useTranslate } from '../../lib/i18n.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import { CopyButton } from '../copy/copy-button.tsx';
import { snippets, type SnippetValues } from './snippets.ts';

const text = texts({
  code: { zh: '{name} 示例代码', en: 'Code for {name}' },
  noModel: {
    zh: '目前没有可以调用的对话模型：请把示例中的 MODEL 换成模型名称。',
    en: 'No chat model can be called yet: put a name in place of MODEL in the examples.',
  },
});

/** Placeholder for a model's name. */
const placeholder = 'MODEL';

interface SnippetTabsProps extends Omit<SnippetValues, 'model'> {
  /** Undefined without a model. */
  model: string | undefined;
  /** The reason why there is none; by default that no model can be called. */
  why?: Text;
}

/** Sample code for common clients with this site's address and the key. */
export function SnippetTabs({ model, why = text.noModel, ...others }: SnippetTabsProps) {
  const t = useTranslate();
  const values = { ...others, model: model ?? placeholder };
  const shown = snippets
    .map(({ id, name, code }) => ({
      id,
      name: typeof name === 'string' ? name : t(name),
      code: code(values),
    }))
    .filter(({ code }) => code !== '');
  return (
    <>
      {model === undefined && (
        <Box mb="sm">
          <Notice tone="info">{t(why)}</Notice>
        </Box>
      )}
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
    </>
  );
}
