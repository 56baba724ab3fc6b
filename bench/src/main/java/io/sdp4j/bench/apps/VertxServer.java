package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Vert.x, as it is without settings: one event loop for each connection. */
final class VertxServer implements HttpApp.HttpServing {
    @Override
    public int serve() throws Exception {
        return Vertx.vertx()
                .createHttpServer()
                .requestHandler(VertxServer::answer)
                .listen(0, Place.here().getHostAddress())
                .toCompletionStage()
                .toCompletableFuture()
                .get()
                .actualPort();
    }

    private static void answer(HttpServerRequest request) {
        if (request.method().name().equals("POST")) {
            Future<Void> _ = request.end().onSuccess(_ -> end(request, 0));
            request.resume();
        } else {
            end(request, Integer.parseInt(request.path().substring(1)));
        }
    }

    private static void end(HttpServerRequest request, int bytes) {
        Future<Void> _ = request.response().end(Buffer.buffer(new byte[bytes]));
    }
}
