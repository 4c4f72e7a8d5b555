/** A rule of the linter for the core, which reads the time through the Clock port alone: `new Date()` reads it by itself. */
export default {
  meta: { name: 'core' },
  rules: {
    'no-present-date': {
      create: (context) => ({
        NewExpression(node) {
          if (
            node.callee.type === 'Identifier' &&
            node.callee.name === 'Date' &&
            node.arguments.length === 0
          ) {
            context.report({ node, message: 'Read the time through the Clock port.' })
          }
        },
      }),
    },
  },
}
