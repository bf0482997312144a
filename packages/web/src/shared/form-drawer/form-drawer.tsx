import { Button, Drawer } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useMediaQuery } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useDemo } from '../../lib/api/status.ts';
import { phoneQuery } from '../../lib/screen.ts';
import { Notice } from '../../ui/notice.tsx';
import { useConfirm } from '../confirm/use-confirm.tsx';
import { openDialogs } from '../dialog/dialog.ts';
import classes from './form-drawer.module.css';

const text = texts({
  cancel: { zh: '取消', en: 'Cancel' },
  close: { zh: '关闭', en: 'Close' },
  checkInput: { zh: '请检查输入', en: 'Please check the fields marked above' },
  leaveTitle: { zh: '放弃未保存的修改？', en: 'Leave without saving?' },
  leaveBody: { zh: '您修改的内容将会丢失。', en: 'Your changes will be lost.' },
  leave: { zh: '放弃修改', en: 'Discard changes' },
  demo: { zh: '演示站点不会保存修改。', en: 'Changes are not saved on a demo site.' },
});

/** Replaces the text that refers to the marked fields. */
const checkFields = 'check-fields';

interface FormDrawerProps<Values extends Record<string, unknown>> {
  opened: boolean;
  title: string;
  form: UseFormReturnType<Values>;
  /** Saves. On an error the drawer stays open and shows it above the buttons. */
  onSubmit: (values: Values) => Promise<unknown>;
  onClose: () => void;
  /** Button label. */
  action: string;
  width?: number;
  children: ReactNode;
}

/** Saving and closing: the error, the running state, and the question before changes are lost. */
function useSaving<Values extends Record<string, unknown>>({
  form,
  onSubmit,
  onClose,
}: FormDrawerProps<Values>) {
  const t = useTranslate();
  const language = useLanguage();
  const confirm = useConfirm();
  const [problem, setProblem] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  // Valid fields leave nothing to check.
  const isMarked = Object.keys(form.errors).length > 0;

  const leave = async () => {
    const mayLeave =
      !form.isDirty() ||
      (await confirm({
        title: t(text.leaveTitle),
        body: t(text.leaveBody),
        action: t(text.leave),
        keeps: true,
      }));
    if (!mayLeave) return;
    setProblem(null);
    onClose();
  };
  const save = async (values: Values) => {
    setProblem(null);
    setPending(true);
    try {
      await onSubmit(values);
    } catch (error) {
      setProblem(errorMessage(error, language));
    } finally {
      setPending(false);
    }
  };
  return {
    problem: problem === checkFields ? (isMarked ? t(text.checkInput) : null) : problem,
    pending,
    leave,
    submit: form.onSubmit(
      (values) => void save(values),
      () => setProblem(checkFields),
    ),
  };
}

/** The drawer for creating and editing: the list stays visible, and the drawer asks before changes are lost. */
export function FormDrawer<Values extends Record<string, unknown>>(props: FormDrawerProps<Values>) {
  const { opened, title, action, width = 520, children } = props;
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery) ?? false;
  const { problem, pending, leave, submit } = useSaving(props);
  const isDemo = useDemo();
  const isCovered = openDialogs.use().length > 0;
  return (
    <Drawer
      opened={opened}
      onClose={() => void leave()}
      // The key closes the dialog above the drawer.
      closeOnEscape={!isCovered}
      title={title}
      size={isPhone ? '100%' : width}
      padding={0}
      closeButtonProps={{ 'aria-label': t(text.close), mr: 14 }}
      styles={{ title: { paddingInlineStart: 20 } }}
    >
      <form className={classes.form} noValidate onSubmit={submit}>
        <div className={classes.fields}>{children}</div>
        <div className={classes.foot}>
          {isDemo && <Notice>{t(text.demo)}</Notice>}
          {problem !== null && (
            <Notice tone="bad" role="alert">
              {problem}
            </Notice>
          )}
          <div className={classes.buttons}>
            <Button variant="default" onClick={() => void leave()}>
              {t(text.cancel)}
            </Button>
            <Button type="submit" loading={pending} disabled={isDemo}>
              {action}
            </Button>
          </div>
        </div>
      </form>
    </Drawer>
  );
}
