package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Tomcat within a program, with its NIO connector, as it is without settings. */
final class TomcatServer implements HttpApp.HttpServing {
    @Override
    public int serve() throws Exception {
        Path directory = WorkFolder.create("tomcat");
        Tomcat tomcat = new Tomcat();
        tomcat.setSilent(true);
        tomcat.setBaseDir(directory.toString());
        tomcat.setHostname(Place.here().getHostAddress());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", Place.here().getHostAddress());
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "answering", new Answering()).addMapping("/");
        tomcat.start();
        return tomcat.getConnector().getLocalPort();
    }

    private static final class Answering extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            byte[] answer = new byte[Integer.parseInt(request.getServletPath().substring(1))];
            response.setContentLength(answer.length);
            response.getOutputStream().write(answer);
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            request.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
    }
}
