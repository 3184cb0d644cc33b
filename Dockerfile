# The embedded engine over stdio: docker run --rm -i -v context-memory:/data context-assembly-memory
# Over HTTP, with sign-in: docker run --rm -p 127.0.0.1:3000:3000 --env-file FILE context-assembly-memory http
# A whole set-up with PostgreSQL is examples/compose.yaml.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /app
# Whatever runs in a container ends with its first process, so that one holds the folder itself.
# Nobody outside could reach an address of the container alone; without sign-in `http` refuses to listen on more.
ENV NODE_ENV=production CONTEXT_DATA_DIR=/data CONTEXT_SHARED=0 CONTEXT_HOST=0.0.0.0
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY schema ./schema
COPY seeds ./seeds
COPY models ./models
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["node", "dist/main.js"]
CMD ["stdio"]
