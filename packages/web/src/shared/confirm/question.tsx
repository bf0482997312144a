import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useDemo } from '../../lib/api/status.ts';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';

const text = texts({
  cancel: { zh: '取消', en: 'Cancel' },
  demo: { zh: '演示站点不能进行此操作。', en: 'This is not available on a demo site.' },
  typeIt: { zh: '请输入“{name}”以确认', en: 'Type “{name}” to confirm' },
});

export interface Question {
  /** Names the thing: "Delete the token ‘ci'?" */
  title: string;
  /** Effect of the action, in a sentence. */
  body: ReactNode;
  /** Button label. */
  action: string;
  /** For irreversible actions. */
  danger?: boolean;
  /** True if the action changes nothing on the server, so that a demo site permits it too. */
  keeps?: true;
  /** Text to type before the button is enabled, for the most destructive actions. */
  typeToConfirm?: string;
}

interface QuestionBodyProps {
  question: Question;
  onAnswer: (agreed: boolean) => void;
}

export function QuestionBody({ question, onAnswer }: QuestionBodyProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState('');
  const { typeToConfirm } = question;
  const isRefused = useDemo() && question.keeps !== true;
  const ready = !isRefused && (typeToConfirm === undefined || typed.trim() === typeToConfirm);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onAnswer(true);
      }}
    >
      <Stack gap="md">
        <Text size="sm" component="div" c="dimmed">
          {question.body}
        </Text>
        {typeToConfirm !== undefined && (
          <TextInput
            data-autofocus
            label={t(text.typeIt, { name: typeToConfirm })}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {isRefused && <Notice>{t(text.demo)}</Notice>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onAnswer(false)}>
            {t(text.cancel)}
          </Button>
          <Button
            type="submit"
            color={question.danger ? 'red.8' : 'iris'}
            disabled={!ready}
            data-autofocus={typeToConfirm === undefined || undefined}
          >
            {question.action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
