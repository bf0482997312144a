interface Advisory {
  package: string;
  id: string;
  severity: string;
  title: string;
  range: string;
}

interface Lock {
  packages: Record<string, { version?: string; name?: string; link?: boolean }>;
}

export function isWithin(version: string, range: string): boolean;
export function findVulnerable(
  lock: Lock,
  list: { advisories: readonly Advisory[]; accepted?: Readonly<Record<string, string>> },
): (Advisory & { version: string; path: string })[];
