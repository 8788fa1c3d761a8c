package jive.javac;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import javax.annotation.processing.ProcessingEnvironment;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;

/** A class file that javac has written, and the folder of its source. */
final class Written {
    final byte[] bytes;
    /** The folder of the source, or null if the source is no file. */
    final Path sourceFolder;

    Written(ProcessingEnvironment environment, String binaryName, JavaFileObject source)
        throws IOException {
        sourceFolder = folder(source);
        int dot = binaryName.lastIndexOf('.');
        String packaged = dot < 0 ? "" : binaryName.substring(0, dot);
        String file = binaryName.substring(dot + 1) + ".class";
        // Without `-d`, javac writes a class beside its source, where the filer does not look.
        Path beside = sourceFolder == null ? null : sourceFolder.resolve(file);
        byte[] found = null;
        if (beside != null && environment.getOptions() != null && !hasOutput(environment, packaged, file)) {
            found = Files.readAllBytes(beside);
        } else {
            try (InputStream in = environment.getFiler()
                .getResource(StandardLocation.CLASS_OUTPUT, packaged, file).openInputStream()) {
                found = in.readAllBytes();
            }
        }
        bytes = found;
    }

    private static boolean hasOutput(ProcessingEnvironment environment, String packaged, String file)
        throws IOException {
        try (InputStream in = environment.getFiler()
            .getResource(StandardLocation.CLASS_OUTPUT, packaged, file).openInputStream()) {
            return in.read() >= 0;
        } catch (FileNotFoundException | NoSuchFileException missing) {
            return false;
        }
    }

    private static Path folder(JavaFileObject source) {
        if (source == null) {
            return null;
        }
        URI uri = source.toUri();
        if (!"file".equals(uri.getScheme())) {
            return null;
        }
        return Paths.get(uri).toAbsolutePath().getParent();
    }
}
