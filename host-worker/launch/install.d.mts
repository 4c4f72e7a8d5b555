export function findNode(root: string, platform?: string, version?: string): string | null
