import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** A row of small buttons under a field that fill it in. */
export const Presets = ({ children }: { children: ReactNode }) => (
  <Group gap={6} mt={8}>
    {children}
  </Group>
);
