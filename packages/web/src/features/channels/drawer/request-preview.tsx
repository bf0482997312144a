import { Button, Group, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { channelApi, type CallOf, type ChannelData } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { JsonField, jsonProblem } from '../../../shared/json-field.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { type ChannelForm, toCall } from './form.ts';

const previewText = texts({
  sample: { zh: '示例请求', en: 'Sample request' },
  sampleHint: { zh: '留空则为一个短对话', en: 'Leave empty for a short chat' },
  show: { zh: '预览发给上游的请求', en: 'Preview the outgoing request' },
  hint: {
    zh: '按填写的内容生成，不发送；密钥已遮盖。',
    en: 'By what is entered; nothing is sent, secrets are hidden.',
  },
  leftOut: { zh: '没有发送：{names}', en: 'Not sent: {names}' },
});

const sample = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };

interface RequestPreviewProps {
  form: UseFormReturnType<ChannelForm>;
  channel: ChannelData | undefined;
}

/** The request that the channel would send for a sample with the current values. */
export function RequestPreview({ form, channel }: RequestPreviewProps) {
  const t = useTranslate();
  const language = useLanguage();
  const [request, setRequest] = useState('');
  const preview = useMutation({
    mutationFn: (asked: CallOf<typeof channelApi.preview>) => call(channelApi.preview, asked),
    meta: { quiet: true },
  });
  const problem = jsonProblem(t, request);
  const asked = {
    ...toCall(form.values, channel),
    name: form.values.name.trim() || '…',
    ...(channel && { id: channel.id }),
    request: request.trim(),
  };
  // A preview of other values is out of date.
  const isOfThese = JSON.stringify(preview.variables) === JSON.stringify(asked);
  const shown = isOfThese ? preview.data : undefined;
  return (
    <Stack gap="xs" mt="md">
      <JsonField
        label={t(previewText.sample)}
        description={t(previewText.sampleHint)}
        value={request}
        onChange={setRequest}
        error={problem}
        example={sample}
      />
      <Group gap="sm">
        <Button
          variant="default"
          loading={preview.isPending}
          disabled={problem !== null}
          onClick={() => preview.mutate(asked)}
        >
          {t(previewText.show)}
        </Button>
        <Text size="sm" c="dimmed">
          {t(previewText.hint)}
        </Text>
      </Group>
      {isOfThese && preview.error && (
        <Notice tone="bad" role="status">
          {errorMessage(preview.error, language)}
        </Notice>
      )}
      {shown && <CodeBlock label={t(previewText.show)} code={asText(shown)} />}
      {shown && shown.left_out.length > 0 && (
        <Text size="sm" c="dimmed">
          {t(previewText.leftOut, { names: shown.left_out.join(', ') })}
        </Text>
      )}
    </Stack>
  );
}

/** The request as sent, with an indented body. */
function asText({
  url,
  headers,
  body,
}: {
  url: string;
  headers: Record<string, string>;
  body: string;
}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${url}`, ...lines, '', indented(body)].join('\n');
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
