import { Button, Checkbox, Radio, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslate, type Text } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import type { Mode, SetupForm } from './form.ts';
import classes from './page.module.css';
import { text } from './text.ts';

const modes = [
  { value: 'external', name: text.external, hint: text.externalHint },
  { value: 'self', name: text.selfUse, hint: text.selfUseHint },
  { value: 'demo', name: text.demo, hint: text.demoHint },
] as const satisfies readonly { value: Mode; name: Text; hint: Text }[];

interface ModeStepProps {
  form: UseFormReturnType<SetupForm>;
  pending: boolean;
  problem: string | null;
  onBack: () => void;
  onSubmit: () => void;
}

/** Step 2: the use of the site, and whether to create the sandbox. */
export function ModeStep({ form, pending, problem, onBack, onSubmit }: ModeStepProps) {
  const t = useTranslate();
  return (
    <form
      className={classes.body}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Radio.Group label={t(text.stepMode)} description={t(text.modeHint)} {...form.getInputProps('mode')}>
        <Stack gap={8} mt={8}>
          {modes.map(({ value, name, hint }) => (
            <Radio.Card key={value} value={value} className={classes.choice ?? ''}>
              <div className={classes.choiceRow}>
                <Radio.Indicator mt={2} />
                <div>
                  <div className={classes.choiceName}>{t(name)}</div>
                  <div className={classes.choiceHint}>{t(hint)}</div>
                </div>
              </div>
            </Radio.Card>
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={t(text.sandbox)}
        description={t(text.sandboxHint)}
        {...form.getInputProps('sandbox', { type: 'checkbox' })}
      />
      {problem !== null && (
        <Notice tone="bad" role="alert">
          {problem}
        </Notice>
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={onBack}>
          {t(text.back)}
        </Button>
        <Button type="submit" loading={pending}>
          {t(text.submit)}
        </Button>
      </div>
    </form>
  );
}
