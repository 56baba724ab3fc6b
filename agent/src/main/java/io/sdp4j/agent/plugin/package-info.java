/** Protocols and fabrics from jars that are not ours. */
package io.sdp4j.agent.plugin;
