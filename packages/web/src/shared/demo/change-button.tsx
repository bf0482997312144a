import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef } from 'react';
import { useAsleep } from './use-asleep.ts';

type ChangeButtonProps = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that changes something at the server: disabled with the reason on a demo site, which would refuse it. */
export function ChangeButton(props: ChangeButtonProps) {
  return <Button {...props} {...useAsleep()} />;
}
